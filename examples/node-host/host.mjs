// A host: loads a transpiled policy, and answers calls. Each entry runs in a fresh instance.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { Job } from './jobs.mjs';
import { wasi } from './wasi.mjs';
import { refuse, workspace } from './workspace.mjs';

const VERSION = '@0.1.0';
const CEILING = 256;

// 128 bits as lowercase Crockford base 32: time first, so that ids sort by age.
function ulid() {
  let number = (BigInt(Date.now()) << 80n) | BigInt(`0x${randomBytes(10).toString('hex')}`);
  let text = '';
  for (; text.length < 26; number >>= 5n) text = '0123456789abcdefghjkmnpqrstvwxyz'[Number(number & 31n)] + text;
  return text;
}

export class Host {
  static async load(directory, root, settings) {
    const name = path.basename(directory);
    const { instantiate } = await import(pathToFileURL(path.join(directory, `${name}.js`)));
    const modules = new Map();
    const core = (file) => {
      if (!modules.has(file)) modules.set(file, new WebAssembly.Module(fs.readFileSync(path.join(directory, file))));
      return modules.get(file);
    };
    const host = new Host();
    Object.assign(host, { instantiate, core, root: fs.realpathSync(root), settings: '{}', jobs: new Map(), notices: [] });
    host.manifest = host.enter({}, 'rules').describe('{}');
    host.settings = JSON.stringify(settings);
    host.manifest = host.enter({}, 'rules').describe(host.settings);
    host.stamp = `${host.manifest.name}@${host.manifest.version}`;
    return host;
  }

  // A fresh instance, acting for `context`: nothing is left over from the entry before.
  enter(context, exported) {
    const instance = this.instantiate(this.core, { ...wasi, ...this.imports(context) });
    return instance[exported] ?? instance[`shellward:policy/${exported}${VERSION}`];
  }

  imports(context) {
    const job = (id) => {
      const found = context.begun?.launch.job === id ? context.begun : this.jobs.get(id);
      return found?.session === context.session ? found : undefined;
    };
    const known = (id) => job(id) ?? refuse({ tag: 'not-found' });
    const own = {
      workspace: workspace(this.root),
      processes: { start: (launch) => this.start(context, launch), enqueue: () => refuse({ tag: 'unsupported', val: 'lanes' }) },
      signals: { send: (id, signal, whom) => known(id).send(signal, whom) },
      timers: { arm: (id, name, after) => known(id).arm(name, Number(after)), disarm: (id, name) => job(id)?.disarm(name) },
      jobs: {
        get: (id) => job(id)?.record(),
        list: ({ active, ended, limit }) => [...this.jobs.values()]
          .filter((found) => found.session === context.session && (found.ending ? ended : active))
          .slice(-limit).map((found) => found.record()),
        post: (id, name, data) => {
          if (known(id).ending) refuse({ tag: 'ended' });
          job(id).deliver({ tag: 'posted', val: { name, data } });
        },
      },
      output: {
        read: (id, stream, window) => known(id).streams[stream].read(window),
        items: () => refuse({ tag: 'unavailable', val: 'this host keeps no items' }),
        stored: () => refuse({ tag: 'unavailable', val: 'this host keeps no items' }),
        snippet: (id, max) => {
          const tail = (stream) => known(id).streams[stream].read({ tag: 'tail', val: BigInt(max) }).text;
          return (tail('stdout') + tail('stderr')).slice(-max);
        },
      },
      input: { write: () => refuse({ tag: 'unavailable' }), close: () => refuse({ tag: 'unavailable' }), resize: () => refuse({ tag: 'unavailable' }) },
      settings: { get: () => this.settings },
      diagnostics: { log: (level, message) => console.error(`${this.stamp} ${level}: ${message}`) },
    };
    return Object.fromEntries(Object.entries(own).map(([name, functions]) => [`shellward:policy/${name}`, functions]));
  }

  start(context, launch) {
    const invalid = (why) => refuse({ tag: 'invalid', val: why });
    if (!context.call || context.begun) invalid('a command is started once, while a call is decided');
    if (!launch.job.endsWith(context.call.id)) invalid("a job's id ends in the call's id");
    if (launch.stdio.tag !== 'pipes' || launch.stdio.val !== 'empty') refuse({ tag: 'unsupported', val: 'terminals and input' });
    if (launch.durable || launch.place.tag !== 'own-process' || launch.confinement.tag !== 'none' || launch.watches.length > 0) {
      refuse({ tag: 'unsupported', val: 'more than a plain process' });
    }
    const most = Math.min(launch.atMost ?? CEILING, CEILING);
    if ([...this.jobs.values()].filter((job) => !job.ending).length >= most) refuse({ tag: 'too-many', val: most });
    const job = new Job(this, context.call, launch);
    job.session = context.session;
    job.start();
    context.begun = job;
  }

  advance(job, event) {
    return this.enter({ session: job.session, begun: job }, 'conduct').advance(job.record(), event);
  }

  // A call, from the agent's words to the answer: JSON where the tool answers in JSON, else text.
  async call(session, tool, args) {
    const call = { id: ulid(), session, tool, arguments: JSON.stringify(args), now: BigInt(Date.now()), approved: [] };
    const context = { session, call };
    let answer;
    try {
      answer = this.enter(context, 'conduct').call(call);
    } catch (error) {
      // A policy that fails runs nothing.
      context.begun?.kill('SIGKILL', [-context.begun.child.pid]);
      throw error;
    }
    if (context.begun) {
      this.jobs.set(context.begun.launch.job, context.begun);
      context.begun.deliver({ tag: 'started', val: context.begun.child.pid });
    }
    if (answer.tag === 'wait') {
      const job = this.jobs.get(answer.val.job);
      await job.wait(answer.val.atMost);
      return this.said(this.enter({ session, begun: job }, 'conduct').settle(call, job.record()));
    }
    // Nobody is there to be asked.
    return this.said(answer.tag === 'ask' ? answer.val.refusal : answer.val);
  }

  said(reply) {
    return { answer: reply.structured ?? reply.text, error: reply.isError };
  }
}
