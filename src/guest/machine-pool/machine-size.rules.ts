import { valueAt } from '../../core/manifest/manifest';
import { Problem } from '../../core/rule/problem';
import { JudgedObject, Rule, World } from '../../core/rule/rule';
import { CLUSTER_KINDS } from '../../rancher/cluster/cluster.kind';
import { configOf, poolsOf } from '../cluster/cluster-reader.check';
import { MACHINE_DEFAULTS } from '../cluster/cluster.kind';
import { distributionOf } from '../kubernetes/rke2.data';
import { machineReferences } from '../machine-config/machine-json.check';

/** The least size of a machine, in CPUs and GiB. */
interface Size { readonly cpus: number; readonly memory: number }

/** The minimum for machines with etcd or the control plane, and for workers. */
const MINIMUM: { readonly [distribution in 'rke2' | 'k3s']: { readonly server: Size; readonly worker: Size; readonly source: string } } = {
  rke2: { server: { cpus: 2, memory: 4 }, worker: { cpus: 2, memory: 4 }, source: 'https://docs.rke2.io/install/requirements' },
  // 512 MiB for a worker; machines have whole GiB
  k3s: { server: { cpus: 2, memory: 2 }, worker: { cpus: 1, memory: 1 }, source: 'https://docs.k3s.io/installation/requirements' },
};

/** Below this, the images of the distribution leave no room on the disk: inferred, unconfirmed (not verified on a running system). */
const LEAST_DISK = 10;

const NAMES = { rke2: 'RKE2', k3s: 'K3s' } as const;

const MACHINE_SIZE: Rule = {
  id: 'cluster/machine-size',
  level: 'warning',
  kinds: CLUSTER_KINDS,
  what: 'machines have the CPUs, memory and disk that RKE2 or K3s need to start',
  source: `${MINIMUM.rke2.source}; ${MINIMUM.k3s.source}; the disk is inferred`,
  *judge(cluster: JudgedObject, world: World): Iterable<Problem> {
    const distribution = distributionOf(valueAt(cluster.manifest, 'spec', 'kubernetesVersion'));
    if (distribution === undefined) { return; }
    for (const pool of poolsOf(cluster.manifest)) {
      const config = configOf(cluster, pool, world)?.manifest;
      if (!config) { continue; }
      const isServer = pool.fields.etcdRole === true || pool.fields.controlPlaneRole === true;
      const least = MINIMUM[distribution][isServer ? 'server' : 'worker'];
      const given = {
        cpus: wholeOf(config.cpuCount ?? MACHINE_DEFAULTS.cpuCount), memory: wholeOf(config.memorySize ?? MACHINE_DEFAULTS.memorySize),
      };
      const tooSmall = (['cpus', 'memory'] as const).filter((what) => given[what] < least[what]);
      if (tooSmall.length > 0) {
        yield {
          path: `${pool.path}.machineConfigRef`,
          value: `${given.cpus} CPUs, ${given.memory} GiB`,
          message: `must have machines of at least ${least.cpus} CPU${least.cpus > 1 ? 's' : ''} and ${least.memory} GiB of memory for pool ${pool.name}: `
            + `${NAMES[distribution]} may not start with less`,
          fix: 'use larger machines',
        };
      }
      const [boot] = machineReferences(config).disks;
      if (boot && typeof boot.size === 'number' && boot.size > 0 && boot.size < LEAST_DISK) {
        yield {
          path: `${pool.path}.machineConfigRef`,
          value: `${boot.size} GiB`,
          message: `must have a first disk of at least ${LEAST_DISK} GiB for pool ${pool.name}: the images of ${NAMES[distribution]} fill a smaller one`,
          fix: 'use a larger disk, e.g. 40 GiB',
        };
      }
    }
  },
};

// another rule reports what is not a number
function wholeOf(value: unknown): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isInteger(number) && number > 0 ? number : Infinity;
}

/** Rules for the size of machines. */
export const MACHINE_SIZE_RULES: readonly Rule[] = [MACHINE_SIZE];
