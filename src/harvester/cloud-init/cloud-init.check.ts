import { isRecord } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';

const HEADER = '#cloud-config';
/** Lists to which the node driver and Rancher add items. */
const LISTS = ['write_files', 'runcmd', 'packages', 'ssh_authorized_keys'];
const AGENT = 'qemu-guest-agent';

/** Linux limits one argument of a process, as which user data is passed, to this size. A lower limit is unconfirmed (not verified on a running system). */
const MAX_BYTES = 128 * 1024;

/**
 * Checks the decoded user data of a machine, which is parsed as a YAML map and merged with that of the node driver and Rancher.
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
      message: `must have at most ${MAX_BYTES} bytes, got ${Buffer.byteLength(text)}: one argument of a process cannot contain more (not verified on a running system)`,
      fix: 'shorten the user data, or download parts of it at boot',
    };
  }
  const map = yield* readMap(path, text, first);
  if (!map) { return; }
  if (first !== HEADER && first !== '## template: jinja') {
    yield {
      path,
      level: 'warning',
      message: `must begin with ${HEADER}, got ${JSON.stringify(first.slice(0, 40))}`,
      fix: `add ${HEADER} as the first line`,
    };
  }
  for (const key of LISTS) {
    if (map[key] !== undefined && !Array.isArray(map[key])) {
      yield {
        path: `${path}.${key}`,
        message: 'must be a list',
        fix: 'write each item after a hyphen',
        says: `unable to get ${key} from cloud-config YAML`,
      };
    }
  }
  if (map.bootcmd !== undefined && !Array.isArray(map.bootcmd)) {
    yield { path: `${path}.bootcmd`, level: 'warning', message: 'must be a list: otherwise cloud-init runs no command', fix: 'write each command after a hyphen' };
  }
  yield* checkHostname(path, map);
  yield* checkFiles(`${path}.write_files`, map.write_files);
  yield* checkGuestAgent(path, text);
}

/** Checks that user data installs the guest agent, which reports the address of a machine to Rancher. */
export function* checkGuestAgent(path: string, text: string | undefined): Iterable<Problem> {
  if (text?.includes(AGENT)) { return; }
  yield {
    path,
    level: 'warning',
    message: `must install ${AGENT}: without it the machine reports no address, and Rancher replaces it after ten minutes`,
    fix: `add ${AGENT} to packages and start it in runcmd, unless the image contains it`,
  };
}

function* readMap(path: string, text: string, first: string): Generator<Problem, { readonly [key: string]: unknown } | undefined> {
  if (first.startsWith('#!')) {
    yield {
      path,
      message: 'must be a YAML map, not a script: the node driver parses it',
      fix: `begin with ${HEADER}, and move the script to runcmd or write_files`,
      says: 'yaml: unmarshal errors',
    };
    return undefined;
  }
  if (/^(Content-Type|MIME-Version):/i.test(first)) {
    yield {
      path,
      message: 'must be a YAML map, not a MIME archive: the node driver parses it',
      fix: `combine its parts into one ${HEADER}`,
      says: 'yaml: unmarshal errors',
    };
    return undefined;
  }
  let documents: unknown[];
  try {
    documents = readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is not valid YAML: ${error.message}`, fix: 'correct the text' };
    return undefined;
  }
  const [map] = documents;
  if (isRecord(map)) { return map; }
  // only the header: Go silently parses nothing as a map
  if (map === undefined || map === null) { return {}; }
  yield {
    path,
    message: 'must be a YAML map',
    fix: `begin with ${HEADER}, and add keys such as packages, runcmd, write_files`,
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
        message: 'overrides the name from Rancher: all machines of the pool get this one, and the cloud provider cannot find the VM of a node',
        fix: 'remove it: the host name is that of the virtual machine',
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
        message: 'must be a string: cloud-init does not read a number as octal',
        fix: `write it in quotes: '0${file.permissions.toString(8)}'`,
      };
    }
    if (isRecord(file) && (typeof file.path !== 'string' || !file.path.startsWith('/'))) {
      yield { path: `${path}[${index}].path`, value: file.path, level: 'warning', message: 'must be an absolute path', fix: 'set the path of the file' };
    }
  }
}
