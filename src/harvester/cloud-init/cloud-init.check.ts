import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

const HEADER = '#cloud-config';
/** Those that the node driver and Rancher add to. */
const LISTS = ['write_files', 'runcmd', 'packages', 'ssh_authorized_keys'];
const AGENT = 'qemu-guest-agent';

/** One argument of a process on Linux holds so much. That user data travels as one is known, that nothing is lost before it is UNCONFIRMED. */
const MAX_BYTES = 128 * 1024;

/**
 * What is wrong with the user data of a machine, decoded: it is read as a YAML map and merged with that of the node driver and of Rancher.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/cloudinit.go
 * @see rancher/machine:commands/create.go
 */
export function* checkUserData(path: string, text: string): Iterable<Problem> {
  const first = text.split('\n', 1)[0].trim();
  if (Buffer.byteLength(text) > MAX_BYTES) {
    yield {
      path,
      level: 'warning',
      message: `has ${Buffer.byteLength(text)} bytes, which is more than one argument of a process can hold (UNCONFIRMED)`,
      fix: `keep below ${MAX_BYTES} bytes`,
    };
  }
  const map = yield* readMap(path, text, first);
  if (!map) { return; }
  if (first !== HEADER && first !== '## template: jinja') {
    yield {
      path,
      level: 'warning',
      message: `begins with ${JSON.stringify(first.slice(0, 40))}, not with ${HEADER}`,
      fix: `write ${HEADER} on the first line`,
    };
  }
  for (const key of LISTS) {
    if (map[key] !== undefined && !Array.isArray(map[key])) {
      yield {
        path: `${path}.${key}`,
        message: 'is no list',
        fix: 'write each item after a hyphen',
        says: `unable to get ${key} from cloud-config YAML`,
      };
    }
  }
  if (map.bootcmd !== undefined && !Array.isArray(map.bootcmd)) {
    yield { path: `${path}.bootcmd`, level: 'warning', message: 'is no list, so cloud-init runs none of it', fix: 'write each command after a hyphen' };
  }
  yield* checkHostname(path, map);
  yield* checkFiles(`${path}.write_files`, map.write_files);
  yield* checkGuestAgent(path, text);
}

/** Says where the guest agent, which tells Rancher the address of a machine, is installed by nothing. */
export function* checkGuestAgent(path: string, text: string | undefined): Iterable<Problem> {
  if (text?.includes(AGENT)) { return; }
  yield {
    path,
    level: 'warning',
    message: `installs no ${AGENT}: without it the machine tells no address, and Rancher gives it up after ten minutes`,
    fix: `add ${AGENT} to packages and start it in runcmd, unless the image brings it along`,
  };
}

function* readMap(path: string, text: string, first: string): Generator<Problem, { readonly [key: string]: unknown } | undefined> {
  if (first.startsWith('#!')) {
    yield {
      path,
      message: 'is a script: the node driver reads a YAML map',
      fix: `begin with ${HEADER} and write the script into runcmd or write_files`,
      says: 'yaml: unmarshal errors',
    };
    return undefined;
  }
  if (/^(Content-Type|MIME-Version):/i.test(first)) {
    yield {
      path,
      message: 'is a MIME archive: the node driver reads a YAML map',
      fix: `write its parts as one ${HEADER}`,
      says: 'yaml: unmarshal errors',
    };
    return undefined;
  }
  let documents: unknown[];
  try {
    documents = readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is no YAML: ${error.message}`, fix: 'mend the text' };
    return undefined;
  }
  const [map] = documents;
  if (isRecord(map)) { return map; }
  // the header alone: Go reads nothing into a map without a word
  if (map === undefined || map === null) { return {}; }
  yield {
    path,
    message: 'is no YAML map',
    fix: `begin with ${HEADER} and write keys such as packages, runcmd, write_files`,
    says: 'yaml: unmarshal errors',
  };
  return undefined;
}

function* checkHostname(path: string, map: { readonly [key: string]: unknown }): Iterable<Problem> {
  for (const key of ['hostname', 'fqdn']) {
    if (map[key] !== undefined) {
      yield {
        path: `${path}.${key}`,
        value: map[key],
        level: 'warning',
        message: 'beats the name that Rancher gives: every machine of the pool has this one, and the cloud provider finds none of them by its node',
        fix: 'leave it out: the host name is that of the virtual machine',
      };
    }
  }
}

function* checkFiles(path: string, files: unknown): Iterable<Problem> {
  for (const [index, file] of (Array.isArray(files) ? files : []).entries()) {
    if (isRecord(file) && typeof file.permissions === 'number') {
      yield {
        path: `${path}[${index}].permissions`,
        value: file.permissions,
        level: 'warning',
        message: 'is a number, which cloud-init does not read as octal',
        fix: `write it in quotes: '0${file.permissions.toString(8)}'`,
      };
    }
    if (isRecord(file) && (typeof file.path !== 'string' || !file.path.startsWith('/'))) {
      yield { path: `${path}[${index}].path`, value: file.path, level: 'warning', message: 'is no absolute path', fix: 'give the path of the file' };
    }
  }
}
