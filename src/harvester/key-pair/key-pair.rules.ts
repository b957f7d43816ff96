import { checkPublicKey } from './key-pair.check';
import { isLate } from '../../core/late/late-token';
import { Manifest } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule } from '../../core/rule/rule';
import { specOf } from '../context.rules';

const KINDS = ['harvesterhci.io/KeyPair'];

const PUBLIC_KEY: Rule = {
  id: 'key-pair/public-key',
  level: 'error',
  kinds: KINDS,
  what: 'a KeyPair contains a public key in OpenSSH format',
  says: 'key is not in valid OpenSSH public key format',
  source: 'harvester/harvester:pkg/webhook/resources/keypair/validator.go; seen on Harvester 1.7.2',
  *judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { publicKey } = specOf(manifest);
    if (!isLate(publicKey)) { yield* checkPublicKey('spec.publicKey', publicKey); }
  },
};

const UPDATE: Rule = {
  id: 'key-pair/update',
  level: 'warning',
  kinds: KINDS,
  what: 'the key of a KeyPair is not changed: virtual machines and the fingerprint keep the old one',
  source: 'harvester/harvester:pkg/controller/master/keypair/keypair_controller.go',
  *judgeUpdate({ manifest }: JudgedObject, before: Manifest): Iterable<Problem> {
    const [now, old] = [specOf(manifest).publicKey, specOf(before).publicKey];
    if (typeof now !== 'string' || typeof old !== 'string' || isLate(now) || isLate(old) || now.trim() === old.trim()) { return; }
    yield {
      path: 'spec.publicKey', message: 'takes effect only for new virtual machines: existing ones and the fingerprint keep the old key', fix: 'create a KeyPair with a different name',
    };
  },
};

/** Rules on SSH keys. */
export const KEY_PAIR_RULES: readonly Rule[] = [PUBLIC_KEY, UPDATE];
