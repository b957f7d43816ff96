// What the cluster tests build from Go modules once a machine and keep: below the user's cache, by
// a hash of the sources and the compiler. Plain node without packages, so that CI can start it
// before `npm ci` has run.
'use strict';

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const UNFINISHED = 'unfinished-';

/** A Go module, in a folder next to this file. */
class GoModule {
  /**
   * @param name its folder
   * @param without what else could be used instead of a build, as the beginning of a message
   * @param recipe how it is built, where that is not always the same
   */
  constructor(name, { without = '', recipe = '' } = {}) {
    this.name = name;
    this.without = without;
    this.recipe = recipe;
    this.folder = path.join(__dirname, name);
  }

  /**
   * The folder that holds what is made of the module; made first where it is not there.
   *
   * @param make fills an empty folder; throws nothing, but ends the process by `fail`
   * @param note what is printed first, since it takes time
   * @param name of the build, where a module has several
   */
  cached(make, note, name = this.name) {
    const folder = path.join(
      process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
      'cdk8s-harvester',
      name,
      this.cacheKey(),
    );
    if (fs.existsSync(folder)) {
      return folder;
    }
    const started = Date.now();
    console.error(`building ${folder}: ${note}`);
    // the tests of a person at work go first
    os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
    const unfinished = emptyFolderBeside(folder);
    make(unfinished);
    publish(unfinished, folder);
    console.error(`built ${name} in ${Math.round((Date.now() - started) / 1000)} s`);
    return folder;
  }

  /** Runs the go command in the module; ends the process where that fails. */
  go(args, what) {
    const { status, stdout, stderr } = this.spawn(args);
    if (status !== 0) {
      fail(`${stdout}${stderr}\n${what} cannot be built (go ${args[0]} exited with ${status})`);
    }
    return stdout;
  }

  read(file) {
    return fs.readFileSync(path.join(this.folder, file), 'utf8');
  }

  cacheKey() {
    const hash = createHash('sha256').update(this.goVersion());
    const programs = fs
      .readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.go'))
      .sort();
    ['go.mod', 'go.sum', ...programs].forEach((file) => hash.update(this.read(file)));
    hash.update(this.recipe);
    return hash.digest('hex').slice(0, 16);
  }

  /**
   * The version of the compiler that will build, which the go command may first have to download:
   * it can be newer than the command.
   */
  goVersion() {
    const [neededMajor, neededMinor] = this.read('go.mod')
      .match(/^go (\d+)\.(\d+)/m)
      .slice(1)
      .map(Number);
    const { stdout, stderr, error } = this.spawn(['version']);
    if (error) {
      unavailable(`${this.without}the go command cannot be run (${error.code})`);
    }
    const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) || [];
    if (!(
      Number(major) > neededMajor ||
      (Number(major) === neededMajor && Number(minor) >= neededMinor)
    )) {
      const wanted = `Go ${neededMajor}.${neededMinor} or later is needed, or 1.21 or later that may download it`;
      unavailable(`${wanted}; got: ${(stdout + stderr).trim()}`);
    }
    return stdout.trim();
  }

  spawn(args) {
    return spawnSync('go', args, {
      cwd: this.folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      // auto: an older go command may fetch the compiler that go.mod asks for. No cgo: no C
      // compiler is needed
      env: { GOTOOLCHAIN: 'auto', ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    });
  }
}

/** Removes what builds left that were killed: none takes an hour. */
function emptyFolderBeside(folder) {
  const parent = path.dirname(folder);
  fs.mkdirSync(parent, { recursive: true });
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(UNFINISHED))) {
    const file = path.join(parent, name);
    if (Date.now() - fs.statSync(file).mtimeMs > 3_600_000)
      fs.rmSync(file, { recursive: true, force: true });
  }
  return fs.mkdtempSync(path.join(parent, UNFINISHED));
}

/** A rename is atomic: no other process sees half a folder. */
function publish(unfinished, folder) {
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    // another build of the same sources was faster
    if (!fs.existsSync(folder)) throw error;
    fs.rmSync(unfinished, { recursive: true });
  }
}

/** Ends the process: this machine cannot have it. The reason goes to standard output. */
function unavailable(reason) {
  console.log(reason);
  process.exit(3);
}

/** Ends the process: it should have worked. */
function fail(message) {
  console.error(message);
  process.exit(1);
}

module.exports = { GoModule, fail };
