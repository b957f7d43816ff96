import { createHash } from 'crypto';
import { MachineRoles } from './machine-roles';
import { NodeRegistrationOptions } from './node-registration';
import { LABEL_NAME_FIX, LABEL_VALUE_FIX, labelNameFault, labelValueFault } from '../model/checks/label-name';
import { NODE_OS_LABEL, SYSTEM_AGENT_INSTALL_PATH } from '../model/guest-names';
import { RFC1123_LABEL } from '../model/names';
import { Problem } from '../model/problem';
import { IRancherTarget } from '../model/target';
import { quote } from '../versions/shell-quote';

/** What a registration command is made from. */
export interface NodeCommand {
  readonly rancher: IRancherTarget;
  readonly token: string;
  readonly roles: MachineRoles;
  readonly options: NodeRegistrationOptions;
  /** Environment of Rancher's agents. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/**
 * The command that registers a node, in the form and order of Rancher and its UI.
 * @see rancher/rancher:pkg/controllers/dashboard/clusterregistrationtoken/status.go rke2NodeCommandFormat
 * @see rancher/dashboard:shell/edit/provisioning.cattle.io.cluster/CustomCommand.vue
 *
 * @param asRoot whether who runs it is root already, and perhaps has no sudo
 */
export function nodeCommand({ rancher, token, roles, options, env }: NodeCommand, asRoot: boolean): string {
  const variables = env.filter(({ value }) => value !== '').map(({ name, value }) => `${name}=${quote(value)} `).join('');
  const { nodeName, address, internalAddress, labels = {}, taints = [], insecureSkipTlsVerify } = options;
  const caChecksum = options.caChecksum ?? checksumOf(rancher.caCertificates);
  const words = [
    '--server', quote(rancher.serverUrl), '--label', `'${NODE_OS_LABEL}'`, '--token', quote(token),
    ...(caChecksum ? ['--ca-checksum', caChecksum] : []),
    ...(nodeName ? ['--node-name', quote(nodeName)] : []),
    ...(address ? ['--address', quote(address)] : []),
    ...(internalAddress ? ['--internal-address', quote(internalAddress)] : []),
    ...(roles.etcd ? ['--etcd'] : []), ...(roles.controlPlane ? ['--controlplane'] : []), ...(roles.worker ? ['--worker'] : []),
    ...Object.entries(labels).flatMap(([key, value]) => ['--label', quote(`${key}=${value}`)]),
    ...taints.flatMap(({ key, value = '', effect }) => ['--taint', quote(`${key}=${value}:${effect}`)]),
  ];
  const fetch = `curl ${insecureSkipTlsVerify ? '--insecure ' : ''}-fL ${quote(`${rancher.serverUrl}${SYSTEM_AGENT_INSTALL_PATH}`)}`;
  return `${variables}${fetch} | ${asRoot ? '' : 'sudo '}${variables}sh -s - ${words.join(' ')}`;
}

/** The checksum that Rancher names in its own commands. @see rancher/rancher:pkg/systemtemplate/import.go CAChecksum */
function checksumOf(certificates: string | undefined): string | undefined {
  if (!certificates) { return undefined; }
  return createHash('sha256').update(certificates.endsWith('\n') ? certificates : `${certificates}\n`).digest('hex');
}

/** What is wrong with the options of a node. */
export function* checkNode(roles: MachineRoles, { nodeName, labels = {}, taints = [], caChecksum }: NodeRegistrationOptions): Iterable<Problem> {
  if (!roles.etcd && !roles.controlPlane && !roles.worker) {
    yield { path: 'roles', message: 'are none', fix: 'give the node a role at least', says: 'You must select at least one role.' };
  }
  if (nodeName !== undefined && !RFC1123_LABEL.test(nodeName)) {
    yield { path: 'nodeName', value: nodeName, message: 'is no name of a node', fix: 'use up to 63 of a-z, 0-9 and hyphens' };
  }
  if (caChecksum !== undefined && !/^[0-9a-f]{64}$/.test(caChecksum)) {
    yield { path: 'caChecksum', value: caChecksum, message: 'is no SHA-256', fix: 'give 64 of 0-9 and a-f' };
  }
  for (const [key, value] of Object.entries(labels)) { yield* checkPair(`labels[${key}]`, key, value); }
  for (const [index, { key, value = '' }] of taints.entries()) { yield* checkPair(`taints[${index}]`, key, value); }
}

function* checkPair(path: string, key: string, value: string): Iterable<Problem> {
  const [name, text] = [labelNameFault(key), labelValueFault(value)];
  if (name) { yield { path, value: key, message: 'is no name of a label', fix: LABEL_NAME_FIX, says: name }; }
  if (text) { yield { path, value, message: 'is no value of a label', fix: LABEL_VALUE_FIX, says: text }; }
}
