// Judges commands on top of any Shellward policy.

// One rule: no forced pushes.
function rule(command) {
  const has = (wanted) => command.words.some((word) => word.value === wanted);
  if (command.program !== 'git' || !has('push') || !(has('-f') || has('--force'))) return [];
  return [{
    decision: 'deny',
    code: 'forced-push',
    message: 'a forced push overwrites what others have pushed',
    hint: 'push without --force',
    span: command.at,
  }];
}

export const rules = {
  describe(settings) {
    return {
      name: '{{name}}',
      version: '0.1.0',
      summary: 'Refuses forced pushes.',
      tools: [],
      settingsTable: '',
      settingsSchema: '{}',
      variables: [],
      retention: { jobs: 0, millis: 0 },
    };
  },

  review(request) {
    // What cannot be known is the policy's to refuse; deny it here too where this guard must never be got round.
    const { tag, val } = request.analysis;
    const findings = tag === 'known' ? val.commands.flatMap(rule) : [];
    return { decision: findings.length > 0 ? 'deny' : 'allow', findings, commands: [] };
  },
};

// The host runs these when it loads the guard, and refuses it if one comes out otherwise.
export const cases = {
  examples() {
    return [
      { command: 'git push --force origin main', expect: 'deny' },
      { command: "cd src && sh -c 'git push -f'", expect: 'deny' },
      { command: 'git push origin main', expect: 'allow' },
      { command: 'echo git push --force', expect: 'allow' },
    ];
  },
};
