import { isLate } from '../late-token';
import { LEGACY_CLUSTER_ID, RFC1123_LABEL, SYSTEM_NAMESPACES } from '../names';
import { Problem } from '../problem';

const FIX = 'use c-m- and eight of a-z, 0-9, e.g. c-m-harvdc01, or another name of up to 63 of a-z, 0-9 and hyphens';
const MAX_LENGTH = 63;

/**
 * What makes a text no id for a management cluster. Rancher takes any annotation without a word and fails, or misbehaves, later.
 *
 * @param clusterName the name of the provisioning Cluster: one that Rancher mirrored from a legacy cluster has its id for a name
 * @see seen on Rancher 2.13.8; rancher/rancher:pkg/controllers/provisioningv2/cluster/controller.go mgmtNameRegexp
 */
export function* checkManagementClusterId(path: string, id: string, clusterName?: string): Iterable<Problem> {
  if (isLate(id)) { return; }
  if (id.length > MAX_LENGTH) {
    yield {
      path,
      value: id,
      fix: FIX,
      says: `must be no more than ${MAX_LENGTH} characters`,
      message: `has ${id.length} characters: Rancher makes the cluster and then can not make its namespace, so it never becomes usable`,
    };
  } else if (!RFC1123_LABEL.test(id)) {
    yield {
      path,
      value: id,
      message: 'can be no name of a cluster: it never becomes one, and only Rancher\'s log says so',
      fix: FIX,
      says: 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \'-\' or \'.\'',
    };
  } else if (SYSTEM_NAMESPACES.includes(id)) {
    yield { path, value: id, message: 'is a namespace of the system: Rancher adopts the namespace of an id and removes it with the cluster', fix: FIX };
  } else if (LEGACY_CLUSTER_ID.test(id) && id !== clusterName) {
    yield { path, value: id, message: `has the form of a legacy cluster: Rancher makes a second provisioning Cluster ${id} from it`, fix: FIX };
  }
}
