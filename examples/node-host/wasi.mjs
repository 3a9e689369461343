// WASI with nothing granted: no environment, no files, no terminals; what a policy prints is dropped.

class Resource {}
class InputStream extends Resource {}
class OutputStream extends Resource {
  checkWrite() { return 1n << 16n; }
  write() {}
  blockingWriteAndFlush() {}
  blockingFlush() {}
  subscribe() { return new Pollable(); }
}
class Pollable extends Resource {
  // A policy may not wait; it arms a timer.
  block() { throw new Error('a policy may not wait'); }
  ready() { return true; }
}
class WasiError extends Resource {}
class TerminalInput extends Resource {}
class TerminalOutput extends Resource {}

export const wasi = {
  'wasi:cli/environment': { getEnvironment: () => [] },
  'wasi:cli/exit': { exit() { throw new Error('the policy exited'); } },
  'wasi:cli/stdin': { getStdin: () => new InputStream() },
  'wasi:cli/stdout': { getStdout: () => new OutputStream() },
  'wasi:cli/stderr': { getStderr: () => new OutputStream() },
  'wasi:cli/terminal-input': { TerminalInput },
  'wasi:cli/terminal-output': { TerminalOutput },
  'wasi:cli/terminal-stdin': { getTerminalStdin: () => undefined },
  'wasi:cli/terminal-stdout': { getTerminalStdout: () => undefined },
  'wasi:cli/terminal-stderr': { getTerminalStderr: () => undefined },
  'wasi:io/error': { Error: WasiError },
  'wasi:io/poll': { Pollable, poll() { throw new Error('a policy may not wait'); } },
  'wasi:io/streams': { InputStream, OutputStream },
};
