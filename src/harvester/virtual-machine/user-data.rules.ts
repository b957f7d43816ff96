import { instanceOf, isHarvesters, MACHINE_KINDS, records } from './volume-claims.check';
import { isLate } from '../../core/late/late-token';
import { isRecord, valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { secretEntry } from '../../core/secret/definition';
import { NoYaml, readYaml } from '../../core/yaml/yaml-reader';
import { CLOUD_INIT_KEYS } from '../cloud-init/cloud-init.kind';

/** The user data or network data of a virtual machine, and its path. */
interface CloudInitText { readonly path: string; readonly text: string; readonly inSecret: boolean }

/** Where cloud-init data is: its field, the field that names a Secret, and the keys in it. */
const PARTS = {
  userData: { secret: 'secretRef', keys: [CLOUD_INIT_KEYS.USER, 'userData'] },
  networkData: { secret: 'networkDataSecretRef', keys: [CLOUD_INIT_KEYS.NETWORK, 'networkData'] },
} as const;

/** The user data or network data of a virtual machine, inline or in a Secret of the world. */
export function cloudInitOf(machine: JudgedObject, world: World, part: keyof typeof PARTS): CloudInitText[] {
  const { secret: reference, keys } = PARTS[part];
  return records(instanceOf(machine.manifest).volumes).flatMap(([index, volume]) => ['cloudInitNoCloud', 'cloudInitConfigDrive'].flatMap((kind): CloudInitText[] => {
    const path = `spec.template.spec.volumes[${index}].${kind}`;
    const [plain, encoded, name] = [[part], [`${part}Base64`], [reference, 'name']].map((steps) => valueAt(volume, kind, ...steps));
    if (typeof plain === 'string') { return [{ path: `${path}.${part}`, text: plain, inSecret: false }]; }
    if (typeof encoded === 'string') { return [{ path: `${path}.${part}Base64`, text: Buffer.from(encoded, 'base64').toString('utf8'), inSecret: false }]; }
    if (typeof name !== 'string') { return []; }
    const secret = world.find(machine, '', 'Secret', machine.manifest.metadata.namespace ?? 'default', name)?.manifest;
    const text = secret && keys.map((key) => secretEntry(secret, key, isLate)?.text).find((found) => found !== undefined);
    return text === undefined ? [] : [{ path: `${path}.${reference}`, text, inSecret: true }];
  }));
}

/** What user data may begin with, as cloud-init reads it. @see https://docs.cloud-init.io/en/latest/explanation/format.html */
const HEADERS = /^(?:#!|#cloud-config|#cloud-boothook|#cloud-config-archive|#include|#upstart-job|#part-handler|## template:|Content-Type:|MIME-Version:|From |\x1f\x8b)/i;

const USER_DATA: Rule = {
  id: 'virtual-machine/user-data',
  level: 'warning',
  kinds: MACHINE_KINDS,
  what: 'the user data of a virtual machine begins with a line that cloud-init knows, is valid YAML, and holds no password in plain text outside of a Secret',
  source: 'https://docs.cloud-init.io/en/latest/explanation/format.html',
  *judge(machine: JudgedObject, world: World): Iterable<Problem> {
    if (!isHarvesters(machine)) { return; }
    for (const { path, text, inSecret } of cloudInitOf(machine, world, 'userData')) {
      if (text.trim() === '' || isLate(text)) { continue; }
      if (!HEADERS.test(text)) {
        yield { path, message: 'must begin with #cloud-config, or #! for a script: cloud-init ignores other user data', fix: 'write #cloud-config as its first line' };
      } else if (/^#cloud-config\s*$/m.test(text.split('\n', 1)[0]!)) {
        yield* checkConfig(path, text, inSecret);
      }
    }
  },
};

function* checkConfig(path: string, text: string, inSecret: boolean): Iterable<Problem> {
  let config: unknown;
  try {
    [config] = readYaml(text);
  } catch (error) {
    if (!(error instanceof NoYaml)) { throw error; }
    yield { path, message: `is not valid YAML, so cloud-init ignores it: ${error.message}`, fix: 'correct the text' };
    return;
  }
  const users = valueAt(config, 'users');
  const texts = [valueAt(config, 'password'), ...(Array.isArray(users) ? users : []).map((user) => (isRecord(user) ? user.plain_text_passwd : undefined))];
  if (!inSecret && texts.some((password) => typeof password === 'string' && password !== '' && !/^\$\d/.test(password) && !isLate(password))) {
    yield { path, message: 'must not contain a password in plain text, which everyone who can read the manifest sees', fix: 'use SSH keys, or put the user data into a Secret' };
  }
}

/** Rules for the user data of virtual machines. */
export const USER_DATA_RULES: readonly Rule[] = [USER_DATA];
