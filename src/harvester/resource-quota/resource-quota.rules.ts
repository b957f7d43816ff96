import { MORE_BY, QuotaFit, rowsByHome } from './quota-fit.facts';
import { objectLabel } from '../../core/manifest/manifest';
import { Problem } from '../../core/problem/problem';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { JudgedObject } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { tableByName } from '../../core/text/values';
import { tooSmall } from '../../rancher/quota/quota.facts';

/**
 * What happens to machines beyond a limit.
 * @see harvester/harvester:pkg/util/resourcequota/error.go; kubernetes/kubernetes: the admission plugin ResourceQuota
 */
const SAYS: { readonly [resource: string]: string } = tableByName({
  limitsCpu: 'cpu insufficient resources due to resource quota',
  limitsMemory: 'memory insufficient resources due to resource quota',
  requestsStorage: 'storage insufficient resources due to resource quota',
});

function problemOf(row: QuotaFit, at: JudgedObject): Problem {
  const { object, path, resource, limit, peakBy, fits } = row;
  const [needed, most] = [row.textOf(row.needs), row.textOf(row.peak)];
  const isOwn = object === at && path !== undefined;
  const origin = path === undefined ? ', the default of its project' : '';
  const subject = isOwn
    ? ''
    : `${objectLabel(object.manifest)} on ${object.target.name} has ${resource} ${limit}${origin}: it `;
  const says = fits === 'without surge' ? undefined : SAYS[resource];
  return {
    path: isOwn ? path : '',
    cause: tooSmall(object),
    ...(isOwn ? { value: limit } : {}),
    level: errorIf(fits === 'no'),
    message:
      fits === 'without surge'
        ? `${subject}must be at least ${most} for ${peakBy}, next to ${some(row.users())}`
        : `${subject}must be at least ${needed}${fits === 'no' ? '' : ', by the defaults of Harvester and KubeVirt,'} for ${some(row.users())}`,
    fix:
      peakBy === MORE_BY.surge && fits === 'without surge'
        ? `set it to ${most} or more, or rollingUpdate.maxSurge of the pool to 0 and maxUnavailable to 1`
        : `set it to ${most} or more, or use fewer or smaller machines`,
    ...(says === undefined ? {} : { says }),
  };
}

/** Rules on quotas and what uses them. */
export const RESOURCE_QUOTA_RULES = rules({}, [
  {
    id: 'quota/fits',
    kinds: [
      '/Namespace',
      '/ResourceQuota',
      'management.cattle.io/Project',
      '/PersistentVolumeClaim',
      'kubevirt.io/VirtualMachine',
      'provisioning.cattle.io/Cluster',
      '/Service',
      'helm.cattle.io/HelmChartConfig',
      'loadbalancer.harvesterhci.io/LoadBalancer',
    ],
    what:
      'the machines of a namespace fit its quota and that of its project, with the overhead of KubeVirt; Harvester ' +
      'stops a machine that does not fit, or refuses it',
    says: 'insufficient resources due to resource quota',
    source:
      'harvester/harvester:pkg/util/resourcequota/calculator.go; ' +
      'kubevirt/kubevirt:pkg/virt-controller/services/renderresources.go GetMemoryOverhead',
    judge: (object, world) =>
      rowsByHome(world)
        .get(object)
        ?.map((row) => problemOf(row, object)),
  },
]);
