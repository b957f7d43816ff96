import { checkPublicKey } from './key-pair.check';
import { rules } from '../../core/rule/kit/fact';

/** Rules on SSH keys. */
export const KEY_PAIR_RULES = rules({ kinds: ['harvesterhci.io/KeyPair'] }, [
  {
    id: 'key-pair/public-key',
    what: 'a KeyPair contains a public key in OpenSSH format',
    says: 'key is not in valid OpenSSH public key format',
    source:
      'harvester/harvester:pkg/webhook/resources/keypair/validator.go; seen on Harvester 1.7.2',
    field: 'spec.publicKey',
    missing: 'judged',
    check: checkPublicKey,
  },
]);
