import { GUEST_INVERSES } from './guest-inverses';
import { MACHINE_INVERSES } from './machine-inverses';
import { NETWORK_INVERSES } from './network-inverses';
import { RANCHER_INVERSES } from './rancher-inverses';
import { SECRET_INVERSE } from './secret-inverse';
import { Inverse } from '../../core/draft/inverse';

/** The inverses of all constructs: those that declare several objects precede those of their parts. */
export const ALL_INVERSES: readonly Inverse[] = [
  ...GUEST_INVERSES, ...RANCHER_INVERSES, ...MACHINE_INVERSES, ...NETWORK_INVERSES, SECRET_INVERSE,
];
