// Finds or builds the programs of a Kubernetes control plane and prints the folder that has them: etcd, kube-apiserver,
// kube-controller-manager, kubectl. Plain node without packages, so that CI can start it before `npm ci` has run.
//
// Exits 0 with the folder on standard output, 3 with the reason there why this machine cannot have them, 1 where building them failed.
'use strict';

const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const MODULE = path.join(__dirname, 'controlplane');
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];
const UNFINISHED = 'unfinished-';
const [GO_MAJOR, GO_MINOR] = read('go.mod').match(/^go (\d+)\.(\d+)/m).slice(1).map(Number);

main();

function main() {
  if (process.env.KUBEBUILDER_ASSETS) {
    return console.log(givenAssets(process.env.KUBEBUILDER_ASSETS));
  }
  const folder = path.join(cacheFolder(), 'cdk8s-harvester', 'controlplane', cacheKey(goVersion()));
  if (!fs.existsSync(folder)) {
    build(folder);
  }
  console.log(folder);
}

/** kube-controller-manager may be missing, as it is in the archives that KUBEBUILDER_ASSETS usually points at. */
function givenAssets(folder) {
  const missing = ['etcd', 'kube-apiserver'].filter(program => !fs.existsSync(path.join(folder, program)));
  if (missing.length > 0) {
    fail(`KUBEBUILDER_ASSETS: got "${folder}", expected a folder with etcd and kube-apiserver; missing: ${missing.join(', ')}`);
  }
  return path.resolve(folder);
}

function cacheFolder() {
  return process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
}

function cacheKey(compiler) {
  const hash = createHash('sha256').update(compiler);
  ['go.mod', 'go.sum', 'main.go'].forEach(file => hash.update(read(file)));
  return hash.digest('hex').slice(0, 16);
}

/** The version of the compiler that will build, which the go command may first have to download: it can be newer than the command. */
function goVersion() {
  const { stdout, stderr, error } = go(['version']);
  if (error) {
    unavailable(`KUBEBUILDER_ASSETS is not set, and the go command cannot be run (${error.code})`);
  }
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) || [];
  if (!(Number(major) > GO_MAJOR || (Number(major) === GO_MAJOR && Number(minor) >= GO_MINOR))) {
    const wanted = `Go ${GO_MAJOR}.${GO_MINOR} or later is needed, or 1.21 or later that may download it`;
    unavailable(`${wanted}; got: ${(stdout + stderr).trim()}`);
  }
  return stdout.trim();
}

function build(folder) {
  const started = Date.now();
  console.error(`building the control plane of the cluster tests into ${folder}: once, about 5 minutes on 2 cores`);
  // the tests of a person at work go first
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
  const unfinished = emptyFolderBeside(folder);
  const program = path.join(unfinished, 'controlplane');
  const { status, stdout, stderr } = go(['build', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(), '-o', program, '.']);
  if (status !== 0) {
    fs.rmSync(unfinished, { recursive: true });
    fail(`${stdout}${stderr}\nthe control plane cannot be built (go build exited with ${status})`);
  }
  PROGRAMS.forEach(name => fs.symlinkSync('controlplane', path.join(unfinished, name)));
  publish(unfinished, folder);
  console.error(`built the control plane in ${Math.round((Date.now() - started) / 1000)} s`);
}

/** Removes what builds left that were killed: none takes an hour. */
function emptyFolderBeside(folder) {
  const parent = path.dirname(folder);
  fs.mkdirSync(parent, { recursive: true });
  for (const name of fs.readdirSync(parent).filter(entry => entry.startsWith(UNFINISHED))) {
    const file = path.join(parent, name);
    if (Date.now() - fs.statSync(file).mtimeMs > 3_600_000) fs.rmSync(file, { recursive: true, force: true });
  }
  return fs.mkdtempSync(path.join(parent, UNFINISHED));
}

/** A rename is atomic: nobody ever sees half a folder. */
function publish(unfinished, folder) {
  try {
    fs.renameSync(unfinished, folder);
  } catch (error) {
    // another build of the same sources was faster
    if (!fs.existsSync(folder)) throw error;
    fs.rmSync(unfinished, { recursive: true });
  }
}

/** Without these the API server calls itself v0.0.0-master. */
function linkerFlags() {
  const [, version, major, minor] = read('go.mod').match(/k8s\.io\/kubernetes (v(\d+)\.(\d+)\S+)/);
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return ['-s', '-w', ...Object.entries(variables).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)].join(' ');
}

function go(args) {
  return spawnSync('go', args, {
    cwd: MODULE,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // auto: an older go command may fetch the compiler that go.mod asks for. No cgo: no C compiler is needed
    env: { GOTOOLCHAIN: 'auto', ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
  });
}

function read(file) {
  return fs.readFileSync(path.join(MODULE, file), 'utf8');
}

function unavailable(reason) {
  console.log(reason);
  process.exit(3);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
