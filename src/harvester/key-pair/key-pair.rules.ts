import { checkPublicKey } from './key-pair.check';
import { isLate } from '../../core/late/late-token';
import { NO_PROBLEMS, Problem } from '../../core/rule/problem';
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
  judge({ manifest }: JudgedObject): Iterable<Problem> {
    const { publicKey } = specOf(manifest);
    if (!isLate(publicKey)) { return checkPublicKey('spec.publicKey', publicKey); }
    return NO_PROBLEMS;
  },
};

/** Rules on SSH keys. */
export const KEY_PAIR_RULES: readonly Rule[] = [PUBLIC_KEY];
