import { ALL_KINDS } from './all-kinds';
import { ALL_RULES } from './all-rules';
import { rulesAbout } from './rule-families';
import { allKinds } from '../core/kind/kinds';
import { leavingFates } from '../core/leaving/left-output';
import { allRules, rulesOfKinds } from '../core/rule/judge-all';
import { programChecks } from '../core/synthesis/judge-program';
import { allGates } from '../core/version/feature-gates';
import { whatLeaves } from '../engine/read/what-leaves';
import { unselectedPools } from '../guest/balancer/named-pool.rules';
import { waitingMachines } from '../guest/custom/custom-machines.rules';
import { KUBERNETES_GATES } from '../guest/kubernetes/rke2.data';
import { GUEST_GATES } from '../guest/version/guest-gates.data';
import { HARVESTER_GATES } from '../harvester/version/harvester-version';
import { RANCHER_GATES } from '../rancher/version/rancher-version';

allKinds.register(() => ALL_KINDS);
allRules.register(() => ALL_RULES);
rulesOfKinds.register(() => rulesAbout);
allGates.register(() => [
  ...RANCHER_GATES,
  ...GUEST_GATES,
  ...HARVESTER_GATES,
  ...KUBERNETES_GATES,
]);
programChecks.register(() => [waitingMachines, unselectedPools]);
leavingFates.register(() => (change, previous) => whatLeaves(change, [previous]));
