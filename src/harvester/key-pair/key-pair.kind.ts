import { deletes } from '../../core/kind/description/removal';
import { KindDescription } from '../../core/kind/kind';
import { whenTrue } from '../../core/kind/ready/health';
import { byConditions } from '../../core/kind/ready/readiness';
import { HARVESTER_KIND } from '../harvester-object.kind';

const PUBLIC_KEY = 'spec.publicKey';

/** Harvester's KeyPair. @see harvester/harvester:pkg/apis/harvesterhci.io/v1beta1/keypair.go */
export const KEY_PAIR_DESCRIPTION: KindDescription = {
  ...HARVESTER_KIND,
  kind: 'KeyPair',
  part: { noun: 'key pair', order: 160 },
  rank: 25,
  deletion: deletes('virtual machines keep the key that they were created with'),
  ready: byConditions('validated'),
  // Terraform keeps the line break of a file
  meansTheSame: (_, path, before, desired) =>
    path === PUBLIC_KEY && typeof before === 'string' && before.trim() === desired,
  immutable: [
    {
      id: 'key-pair/update',
      level: 'warning',
      what: 'the key of a KeyPair is not changed: virtual machines and the fingerprint keep the old one',
      source: 'harvester/harvester:pkg/controller/master/keypair/keypair_controller.go',
      fields: [
        {
          path: PUBLIC_KEY,
          hidden: true,
          addable: true,
          omitted: 'keeps',
          compared: (key) => (typeof key === 'string' ? key.trim() : undefined),
        },
      ],
      message:
        'takes effect only for new virtual machines: existing ones and the fingerprint keep the old key',
      fix: 'create a KeyPair with a different name',
    },
  ],
  health: { healthy: whenTrue('validated') },
};
