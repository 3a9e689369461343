// Holds `shellward mcp` to what the official TypeScript clients expect: version 1 of the SDK in the revisions with a
// handshake, version 2 in the newest. Takes the same description as client.py, and the directory of the clients'
// node_modules in `modules`. Prints `ok NAME` for each check; an exception fails the run.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SPEC = JSON.parse(process.argv[2]);
const MODERN = SPEC.mode !== 'legacy';
const LONGEST = 60_000;

const require = createRequire(path.join(SPEC.modules, 'client.mjs'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const old = MODERN ? undefined : await load('@modelcontextprotocol/sdk/types.js');
const { Client } = await load(MODERN ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load(
  MODERN ? '@modelcontextprotocol/client/stdio' : '@modelcontextprotocol/sdk/client/stdio.js',
);
const { StreamableHTTPClientTransport } = await load(
  MODERN ? '@modelcontextprotocol/client' : '@modelcontextprotocol/sdk/client/streamableHttp.js',
);

const ok = (name) => console.log('ok', name);
const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

function assert(condition, ...about) {
  if (!condition) throw new Error(`not as it should be: ${about.map((value) => JSON.stringify(value)).join(' ')}`);
}

async function until(condition, what) {
  for (const end = Date.now() + LONGEST; Date.now() < end; await sleep(50)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`never came: ${what}`);
}

/** A client of its own; on stdio with a server of its own. */
async function connect({ name, capabilities = {}, elicit, notices, updates } = {}) {
  const options = { capabilities, versionNegotiation: { mode: MODERN ? { pin: SPEC.mode } : 'legacy' } };
  const client = new Client({ name: 'shellward-tests', version: '1' }, options);
  if (elicit) client.setRequestHandler(MODERN ? 'elicitation/create' : old.ElicitRequestSchema, elicit);
  if (notices) {
    const kind = MODERN ? 'notifications/message' : old.LoggingMessageNotificationSchema;
    client.setNotificationHandler(kind, ({ params }) => void notices.push(params));
  }
  if (updates) {
    const kind = MODERN ? 'notifications/resources/updated' : old.ResourceUpdatedNotificationSchema;
    client.setNotificationHandler(kind, ({ params }) => void updates.push(params.uri));
  }
  await client.connect(transport(name));
  return client;
}

function transport(name) {
  if (SPEC.command) {
    const [command, ...args] = SPEC.command;
    return new StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'inherit' });
  }
  const headers = { authorization: `Bearer ${SPEC.token}`, ...(name ? { 'shellward-session': name } : {}) };
  return new StreamableHTTPClientTransport(new URL(SPEC.url), { requestInit: { headers } });
}

/** Leaves in good order: over HTTP a session is ended by a request of its own. */
async function leave(client) {
  if (!MODERN && SPEC.url) await client.transport.terminateSession();
  await client.close();
}

const call = (client, args, options = {}) => {
  const settings = { timeout: LONGEST, ...options };
  const params = { name: SPEC.tool, arguments: args };
  return MODERN ? client.callTool(params, settings) : client.callTool(params, undefined, settings);
};
const args = (command) => ({ ...SPEC.constant, [SPEC.argument]: command });
const text = (result) => result.content.map((block) => block.text).join('\n');
const file = (name) => path.join(SPEC.directory, name);
const naming = (name) => `sh -c 'echo $$ > ${file(name)}; echo waiting; exec sleep 300'`;

function alive(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').pop().trim()[0] !== 'Z';
  } catch {
    return false;
  }
}

function pidIn(name) {
  const found = existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '';
  return found.endsWith('\n') ? Number(found) : undefined;
}

async function fails(promise, what) {
  try {
    await promise;
  } catch (error) {
    assert(typeof error.code === 'number', what, String(error));
    return;
  }
  throw new Error(`went through: ${what}`);
}

async function basics() {
  const client = await connect();
  const tools = Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, tool]));
  const tool = tools[SPEC.tool];
  assert(tool?.inputSchema.properties[SPEC.argument], tool);
  assert(typeof tool.annotations.readOnlyHint === 'boolean', tool);
  ok('handshake and tools');
  // The client checks structured content against the tool's output schema by itself.
  const result = await call(client, args('echo hello there'));
  assert(!result.isError && text(result).includes('hello there'), result);
  assert(result._meta['shellward/policy'].startsWith(`${SPEC.policy}@`), result._meta);
  if (result.structuredContent) assert(text(result) === JSON.stringify(result.structuredContent), result);
  ok('call');
  const wrong = await call(client, { ...SPEC.constant, [SPEC.argument]: 7 });
  assert(wrong.isError && text(wrong), wrong);
  ok("wrong arguments are the tool's error");
  await fails(client.callTool({ name: 'no-such-tool', arguments: {} }), 'a tool that is not there');
  await fails(client.readResource({ uri: 'shellward://jobs/none/stdout' }), 'a resource that is not there');
  ok('what is not there is a protocol error');
  await leave(client);
}

async function cancelling() {
  const client = await connect();
  const stop = new AbortController();
  const running = call(client, args(naming('cancelled')), { signal: stop.signal }).catch((error) => error);
  const pid = await until(() => pidIn('cancelled'), "the command's number");
  assert(alive(pid), pid);
  const answer = text(await call(client, args('echo quick')));
  assert(answer && (!SPEC.parallel || answer.includes('quick')), answer);
  ok('a long call blocks no other');
  stop.abort('no longer wanted');
  await running;
  await until(() => !alive(pid), 'the end of the cancelled command');
  // What lasts, a shell, has to come back from it.
  await until(async () => !(await call(client, args('echo next'))).isError, 'room for the next command');
  ok('cancelled');
  await leave(client);
}

async function progress() {
  const client = await connect();
  const seen = [];
  const command = `sh -c 'echo working on it; while [ ! -e ${file('go')} ]; do sleep 0.1; done'`;
  const running = call(client, args(command), { onprogress: (progress) => void seen.push(progress) });
  await until(() => seen.length >= 2 && seen.at(-1).message, 'progress with a last line');
  writeFileSync(file('go'), '');
  assert(!(await running).isError);
  assert(seen[0].progress < seen[1].progress && seen.at(-1).message === 'working on it', seen);
  ok('progress');
  await leave(client);
}

async function resources() {
  const updates = [];
  const client = await connect({ name: 'resources', updates });
  const [first, second] = [file('first'), file('second')];
  const waiting = (name) => `while [ ! -e ${name} ]; do sleep 0.1; done`;
  const running = call(client, args(`sh -c 'echo one; ${waiting(first)}; echo two; ${waiting(second)}'`));
  const uri = await until(
    async () => (await client.listResources()).resources.find(({ uri }) => uri.endsWith('/stdout'))?.uri,
    'the job among the resources',
  );
  const shown = async () => (await client.readResource({ uri })).contents[0].text;
  await until(async () => (await shown()) === 'one\n', 'the first line');
  const listening = MODERN ? await client.listen({ resourceSubscriptions: [uri] }) : await client.subscribeResource({ uri });
  writeFileSync(first, '');
  await until(() => updates.includes(uri), 'the update');
  await until(async () => (await shown()) === 'one\ntwo\n', 'the second line');
  ok('resources');
  const another = await connect({ name: 'another' });
  const others = (await another.listResources()).resources;
  assert(!others.some((resource) => resource.uri === uri), others);
  await fails(another.readResource({ uri }), "another client's output");
  ok('two clients');
  await leave(another);
  writeFileSync(second, '');
  await running;
  if (MODERN) await listening.close();
  await leave(client);
}

async function background() {
  const notices = [];
  const client = await connect({ notices });
  const result = await call(client, SPEC.background);
  assert(!result.isError, result);
  if (!MODERN) {
    await until(() => notices.length, 'the notice of completion');
    assert(notices[0].logger === SPEC.policy && notices[0].data.type && notices[0].data.job, notices);
  }
  ok('background');
  await leave(client);
}

async function asking() {
  const command = '${UNKNOWN_PROGRAM:-echo} asked';
  for (const [name, answer, runs] of [
    ['yes', { action: 'accept', content: { decision: 'run it once' } }, true],
    ['no', { action: 'accept', content: { decision: 'do not run it' } }, false],
    ['cancelled', { action: 'cancel' }, false],
  ]) {
    const questions = [];
    const elicit = async ({ params }) => {
      questions.push(params.message);
      return answer;
    };
    const client = await connect({ capabilities: { elicitation: {} }, elicit });
    const result = await call(client, args(command));
    assert(questions.length === 1 && questions[0] && Boolean(result.isError) !== runs, name, questions, result);
    ok(`asked and answered: ${name}`);
    await leave(client);
  }
  const client = await connect();
  const result = await call(client, args(command));
  assert(result.isError && text(result).includes('elicitation'), result);
  ok('nobody to ask');
  await leave(client);
}

/** Requests below the client, which knows no answer that is a task: the extension's client leaves them to its host. */
function below(client) {
  const { transport } = client;
  const [waiting, onward] = [new Map(), transport.onmessage];
  let made = 0;
  transport.onmessage = (message, extra) => {
    const answered = message.method ? undefined : waiting.get(message.id);
    if (!answered) return onward(message, extra);
    waiting.delete(message.id);
    const { error, result } = message;
    return answered(error ? { kind: 'error', error } : { kind: 'result', result });
  };
  return (request) =>
    new Promise((answered, failed) => {
      const id = `below-${++made}`;
      waiting.set(id, answered);
      transport.send({ jsonrpc: '2.0', id, ...request }).catch(failed);
    });
}

async function tasks() {
  // It can be imported only, so that `require` does not find it.
  const place = path.join(SPEC.modules, 'node_modules/@modelcontextprotocol/ext-tasks/dist/client/index.js');
  const { createTaskSessionFromClient, resultFromTaskOutcome } = await import(pathToFileURL(place).href);
  const client = await connect({ name: 'tasks' });
  const clientInfo = { name: 'shellward-tests', version: '1' };
  const v2RequestFraming = { protocolVersion: SPEC.mode, clientInfo, clientCapabilities: {} };
  const options = { endpointId: 'shellward', rawDispatch: below(client), v2RequestFraming };
  const session = createTaskSessionFromClient(client, options);
  const quick = await session.callTool(SPEC.tool, args('echo quick'));
  assert(quick.kind === 'immediate', quick.kind);
  assert(text(resultFromTaskOutcome(await quick.result())).includes('quick'));
  ok('a short call is no task');
  const waiting = `while [ ! -e ${file('task')} ]; do sleep 0.1; done`;
  const long = await session.callTool(SPEC.tool, args(`sh -c '${waiting}; echo finished'`));
  assert(long.kind === 'task' && long.handle.taskId, long.kind);
  writeFileSync(file('task'), '');
  const { outcome, lastTask } = await long.settle();
  assert(text(resultFromTaskOutcome(outcome)).includes('finished'), outcome);
  assert(lastTask.status === 'completed', lastTask);
  ok('a long call is a task with its result');
  const doomed = await session.callTool(SPEC.tool, args(naming('doomed')));
  const pid = await until(() => pidIn('doomed'), "the command's number");
  assert(alive(pid), pid);
  await doomed.cancel();
  await until(() => !alive(pid), 'the end of the cancelled task');
  assert((await doomed.settle()).outcome.status === 'cancelled');
  ok('a task that is cancelled ends its command');
  await session.close();
  await leave(client);
}

async function leaving() {
  const client = await connect({ name: 'leaving' });
  const stop = new AbortController();
  const running = call(client, args(naming('left')), { signal: stop.signal }).catch((error) => error);
  const pid = await until(() => pidIn('left'), "the command's number");
  // Without sessions only the end of the request says that nobody waits.
  if (MODERN && SPEC.url) stop.abort();
  await leave(client);
  await running;
  await until(() => !alive(pid), 'the end of what a client has left behind');
  ok('a client that leaves leaves nothing running');
}

const overdue = setTimeout(() => {
  console.error('the whole run takes too long');
  process.exit(1);
}, 5 * LONGEST);
await basics();
await cancelling();
await progress();
await resources();
if (SPEC.background) await background();
if (SPEC.asks) await asking();
if (MODERN) await tasks();
await leaving();
clearTimeout(overdue);
console.log('all passed');
