"""Judges commands on top of any Shellward policy."""

from wit_world import exports
from wit_world.exports import cases, rules
from wit_world.imports import commands
from wit_world.imports.types import Decision, Finding


def rule(command: commands.Command) -> list[Finding]:
    """One rule: no forced pushes."""
    words = [word.value for word in command.words]
    if command.program != "git" or "push" not in words or not ({"-f", "--force"} & set(words)):
        return []
    return [
        Finding(
            decision=Decision.DENY,
            code="forced-push",
            message="a forced push overwrites what others have pushed",
            hint="push without --force",
            span=command.at,
        )
    ]


class Rules(exports.Rules):
    def describe(self, settings: str) -> rules.Manifest:
        return rules.Manifest(
            name="{{name}}",
            version="0.1.0",
            summary="Refuses forced pushes.",
            tools=[],
            settings_table="",
            settings_schema="{}",
            variables=[],
            run=None,
            retention=rules.Retention(jobs=0, millis=0),
        )

    def review(self, request: rules.Request) -> rules.Verdict:
        # What cannot be known is the policy's to refuse; deny it here too where this guard must never be got round.
        findings: list[Finding] = []
        if isinstance(request.analysis, commands.Analysis_Known):
            findings = [found for command in request.analysis.value.commands for found in rule(command)]
        return rules.Verdict(Decision.DENY if findings else Decision.ALLOW, findings, [], None)


class Cases(exports.Cases):
    """The host runs these when it loads the guard, and refuses it if one comes out otherwise."""

    def examples(self) -> list[cases.Example]:
        return [
            cases.Example("git push --force origin main", Decision.DENY),
            cases.Example("cd src && sh -c 'git push -f'", Decision.DENY),
            cases.Example("git push origin main", Decision.ALLOW),
            cases.Example("echo git push --force", Decision.ALLOW),
        ]
