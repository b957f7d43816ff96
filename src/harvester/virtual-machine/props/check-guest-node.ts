import { checkLabel } from './check-references';
import { NIC_PREFIX } from '../machine-manifest.facts';
import { VirtualMachineProps } from './virtual-machine-props';
import { MachineIdentity, nicName, nicsOf } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { Problem } from '../../../core/problem/problem';
import { IGuestCluster } from '../../../guest/parts/guest-cluster-ref';
import { nodeNameIn } from '../../cloud-init/cloud-init.check';

/**
 * Checks a VM that is a node of a guest cluster: the cloud provider looks up the VM of a node by the
 * name of the node.
 */
export function checkGuestNode(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { guestCluster, hostname } = props;
  if (!guestCluster) {
    return [];
  }
  if (props.adopted?.createdBy !== undefined) {
    return [
      {
        path: 'adopted.createdBy',
        value: props.adopted.createdBy,
        message: 'cannot be combined with guestCluster, which sets the same label',
        fix: 'remove adopted.createdBy',
      },
    ];
  }
  return [
    ...checkLabel('guestCluster', guestCluster.name),
    ...checkHostname(machine, hostname),
    ...checkNodeName(machine, props),
    ...checkPlace(machine, guestCluster, harvester),
    ...checkNicName(props),
  ];
}

function checkHostname({ name }: MachineIdentity, hostname: string | undefined): Problem[] {
  if (hostname === undefined || hostname === name) {
    return [];
  }
  return [
    {
      path: 'hostname',
      value: hostname,
      message: `must be the name of the VM, ${name}, by which the cloud provider looks up the node`,
      fix: 'remove hostname',
    },
  ];
}

/** Checks what cloud-init sets. */
function checkNodeName({ name }: MachineIdentity, { cloudInit }: VirtualMachineProps): Problem[] {
  const problems: Problem[] = [];
  const hostnameKey = cloudInit?._hostnameKey();
  if (hostnameKey !== undefined) {
    problems.push({
      path: 'cloudInit',
      value: hostnameKey,
      message: 'cannot rename the node: the cloud provider looks it up by the name of the VM',
      fix: `remove ${hostnameKey}`,
    });
  }
  const nodeName = cloudInit && nodeNameIn(cloudInit.toText());
  if (nodeName !== undefined && nodeName !== name) {
    problems.push({
      path: 'cloudInit',
      value: nodeName,
      message: `must register the node as ${name}, the name of the VM, by which the cloud provider looks it up`,
      fix: `set nodeName to ${name}, or leave it out`,
    });
  }
  return problems;
}

function checkNicName(props: VirtualMachineProps): Problem[] {
  const nics = nicsOf(props).map(nicName);
  if (nics.some((name) => /^nic-\d+$/.test(name))) {
    return [];
  }
  return [
    {
      path: 'nics',
      value: nics,
      message: `must contain a NIC named ${NIC_PREFIX}<number>, by which Harvester finds the address of a node`,
      fix: 'add Nic.network(network)',
    },
  ];
}

/** A guest cluster that knows where its machines are; references do not. */
interface Placed {
  readonly _context?: { readonly harvester?: IHarvesterTarget; readonly vmNamespace?: string };
}

// the cloud provider and the CSI driver find machines in one namespace of one Harvester
function checkPlace(
  machine: MachineIdentity,
  guest: IGuestCluster,
  harvester: IHarvesterTarget,
): Problem[] {
  const { harvester: own, vmNamespace } = (guest as Placed)._context ?? {};
  if (own && own !== harvester) {
    return [
      {
        path: 'guestCluster',
        value: guest.name,
        message: `must be a guest cluster on ${harvester.targetName}: its machines are on ${own.targetName}`,
        fix: `create the VM on ${own.targetName}`,
      },
    ];
  }
  if (vmNamespace === undefined || vmNamespace === machine.namespace) {
    return [];
  }
  return [
    {
      path: 'namespace',
      value: machine.namespace,
      message: `must be ${vmNamespace}, the namespace of the machines of ${guest.name}`,
      fix: 'use that namespace',
    },
  ];
}
