// Makes the calls of a transcript, one after the other, and prints the answers.
//
//     node transcript.mjs POLICY-DIRECTORY PROJECT < transcript.json

import fs from 'node:fs';

import { Host } from './host.mjs';

const [directory, project] = process.argv.slice(2);
const { settings, calls } = JSON.parse(fs.readFileSync(0, 'utf8'));
const host = await Host.load(directory, project, settings);
const answers = [];
let job;
for (const { tool, arguments: given, until } of calls) {
  // `$job` stands for the last job that an answer named; a call with `until` is made again until its answer says so.
  const text = JSON.stringify(given).replaceAll('$job', job ?? '');
  let said = await host.call('transcript', tool, JSON.parse(text));
  for (let tries = 0; until && !said.answer.includes(until); tries += 1) {
    if (tries === 1000) throw new Error(`the answer never says ${until}: ${said.answer}`);
    // What happens to jobs happens between calls.
    await new Promise((wake) => setTimeout(wake, 10));
    said = await host.call('transcript', tool, JSON.parse(text));
  }
  job = said.answer.match(/"job_id":"([^"]+)"/)?.[1] ?? job;
  answers.push(said);
}
console.log(JSON.stringify(answers));
