import { GLOBAL_DATA } from './secret.kind';
import { TargetKind } from '../../core/app/target';
import { FoundObject } from '../../core/draft/draft';
import { Surroundings } from '../../core/draft/inverse';
import { GROUPS } from '../../core/manifest/names';
import { safeConcatName } from '../../core/text/plain-text';
import { HARVESTER_SYSTEM } from '../../guest/cloud-provider/cloud-provider.kind';

/**
 * The objects of the credential that guest clusters of a Harvester share unless they set one, with those of its account; undefined where they are not there.
 *
 * @param vmNamespace the namespace of the machines of a cluster
 */
export function defaultCredential(rancher: string, harvester: string, vmNamespace: string, around: Surroundings): FoundObject[] | undefined {
  const account = `${rancher}-node-driver`;
  const at = (target: string, kind: string, name: string, namespace?: string, group = ''): FoundObject | undefined => (
    around.find({ target, group, kind, namespace, name }));
  const objects = [
    at(rancher, 'Secret', `cc-${harvester}`, GLOBAL_DATA),
    at(harvester, 'ServiceAccount', account, HARVESTER_SYSTEM),
    at(harvester, 'Secret', safeConcatName(account, 'token'), HARVESTER_SYSTEM),
    at(harvester, 'ClusterRole', account, undefined, GROUPS.RBAC),
    at(harvester, 'ClusterRole', `${account}-lookup`, undefined, GROUPS.RBAC),
    at(harvester, 'ClusterRoleBinding', `${account}-lookup`, undefined, GROUPS.RBAC),
    at(harvester, 'RoleBinding', account, vmNamespace, GROUPS.RBAC),
  ];
  return objects.every((each) => each !== undefined) ? objects : undefined;
}

/** Whether a Secret of Rancher may be that credential: guest clusters declare it. */
export function isDefaultCredential({ target, manifest: { metadata: { namespace, name } } }: FoundObject, around: Surroundings): boolean {
  return namespace === GLOBAL_DATA && around.clusters.some(({ name: harvester, kind }) => (
    kind === TargetKind.HARVESTER && name === `cc-${harvester}`
    && around.find({ target: harvester, group: '', kind: 'ServiceAccount', namespace: HARVESTER_SYSTEM, name: `${target}-node-driver` })));
}
