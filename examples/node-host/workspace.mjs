// The project's files, as far as a policy may know them.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// Throws what the contract's `result<_, E>` calls an error.
export function refuse(payload) {
  throw Object.assign(new Error(JSON.stringify(payload)), { payload });
}

const may = (where, mode) => {
  try {
    fs.accessSync(where, mode);
    return true;
  } catch {
    return false;
  }
};

// A path with links followed; of what is missing, the nearest existing parent is, and the rest appended.
function follow(where) {
  const missing = [];
  for (let here = where; ; here = path.dirname(here)) {
    try {
      return path.join(fs.realpathSync(here), ...missing);
    } catch (error) {
      if (error.code === 'ELOOP') refuse({ tag: 'circular' });
      if (error.code === 'EACCES') refuse({ tag: 'permission-denied' });
      if (error.code === 'ENAMETOOLONG') refuse({ tag: 'too-long' });
      if (!['ENOENT', 'ENOTDIR'].includes(error.code)) refuse({ tag: 'other', val: error.message });
      missing.unshift(path.basename(here));
    }
  }
}

function kind(where) {
  const found = fs.statSync(where, { throwIfNoEntry: false });
  if (!found) return 'missing';
  if (found.isDirectory()) return 'directory';
  return found.isFile() ? 'file' : 'other';
}

export function workspace(root) {
  return {
    resolve(given, base) {
      if (given.includes('\0')) refuse({ tag: 'nul' });
      const absolute = follow(path.resolve(root, base ?? '.', given));
      const within = path.relative(root, absolute);
      const outside = within === '..' || within.startsWith('../');
      return {
        absolute,
        relative: outside ? undefined : within || '.',
        kind: kind(absolute),
        access: {
          read: may(absolute, fs.constants.R_OK),
          write: may(absolute, fs.constants.W_OK),
          enter: may(absolute, fs.constants.X_OK),
        },
      };
    },
    home: () => os.homedir(),
    findProgram(name) {
      const runs = (file) => kind(file) === 'file' && may(file, fs.constants.X_OK);
      const places = name.includes('/') ? [path.resolve(root, name)] : (process.env.PATH ?? '').split(':').map((at) => path.join(at, name));
      return places.find(runs);
    },
  };
}
