import { MachineFields, isSet, machineField } from './machine-config.check';
import { isRecord } from '../../core/manifest/manifest';
import { NO_PROBLEMS, Problem } from '../../core/problem/problem';
import { tryYaml } from '../../core/yaml/yaml-reader';

/** The text that YAML reads as a value; undefined where it reads no text, or nothing. */
function readText(value: string): string | undefined {
  const [map, ...others] = tryYaml(`key: ${value}\n`).documents ?? [];
  const isKey = isRecord(map) && Object.keys(map).length === 1 && others.length === 0;
  return isKey && typeof map.key === 'string' ? map.key : undefined;
}

function isQuoted(value: string): boolean {
  return /^(".*"|'.*')$/.test(value) && readText(value) !== undefined;
}

/**
 * Checks the texts of a machine that the node driver writes into YAML without quotes: the password, and the user that has it.
 *
 * @see harvester/docker-machine-driver-harvester:harvester/cloudinit.go mergeCloudInit
 */
export function checkMachineLogin(config: MachineFields): Iterable<Problem> {
  return isSet(config, 'sshPassword') ? problemsOfLogin(config) : NO_PROBLEMS;
}

function* problemsOfLogin(config: MachineFields): Iterable<Problem> {
  for (const path of ['sshUser', 'sshPassword']) {
    const text = machineField(config, path);
    if (text === undefined || isQuoted(text) || readText(text) === text) {
      continue;
    }
    const isValid = tryYaml(`key: ${text}\n`).documents !== undefined;
    // never the value, which is a secret
    yield {
      path,
      ...(isValid ? { level: 'warning' as const } : {}),
      message: isValid
        ? 'must be in quotes: the node driver writes it into YAML, where it is another value'
        : 'must be in quotes: the node driver writes it into YAML, which is not valid then',
      fix: `write the quotes as a part of the text: ${path}: '"…"'`,
      ...(isValid ? {} : { says: 'error converting YAML to JSON' }),
    };
  }
}
