import { checkLabel, checkOnHarvester, checkGate } from './check-references';
import { VirtualMachineProps } from './virtual-machine-props';
import { isBridged, nicName, nicsOf } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { parseIp } from '../../../core/go/go-ip';
import { Problem } from '../../../core/problem/problem';
import { Nic } from '../../machine/nic';
import { HarvesterGate } from '../../version/harvester-version';

/** Checks the NICs of a VM. */
export function checkNics(props: VirtualMachineProps, harvester: IHarvesterTarget): Problem[] {
  const prop = props.nics ? 'nics' : 'networks';
  return nicsOf(props).flatMap((nic, index) => [
    ...checkLabel(`${prop}[${index}].name`, nicName(nic, index)),
    ...checkOnHarvester(
      `${prop}[${index}]`,
      nic._network?.networkId,
      nic._network?.harvester,
      harvester,
    ),
    ...(nic._options.managedTap
      ? checkManagedTap(`nics[${index}].managedTap`, nic, harvester)
      : []),
    ...checkStaticAddress(`nics[${index}].staticAddress`, nic, harvester),
    ...(nic._options.bridged !== undefined && nic._network
      ? [
          {
            path: `nics[${index}].bridged`,
            message:
              'can be set in the management network only: a NIC in a VM network is always bridged',
            fix: 'remove bridged',
          },
        ]
      : []),
  ]);
}

function checkManagedTap(
  path: string,
  { _network: network }: Nic,
  harvester: IHarvesterTarget,
): readonly Problem[] {
  const fix = 'remove managedTap, or pass an OverlayNetwork to Nic.network';
  if (!network) {
    return [
      { path, value: true, message: 'cannot be set for a NIC in the management network', fix },
    ];
  }
  if (isBridged(network)) {
    return [
      {
        path,
        value: true,
        message: `can be set for overlay networks only: ${network.networkId} is a bridge`,
        fix,
      },
    ];
  }
  return checkGate(path, HarvesterGate.NETWORK_OVERLAY, harvester, 'remove managedTap');
}

function checkStaticAddress(
  path: string,
  { _network: network, _options }: Nic,
  harvester: IHarvesterTarget,
): Problem[] {
  const { staticAddress: value } = _options;
  if (value === undefined) {
    return [];
  }
  const fix = 'remove staticAddress, or pass an OverlayNetwork to Nic.network';
  if (!network || isBridged(network)) {
    return [{ path, value, message: 'can be set for overlay networks only', fix }];
  }
  return [
    ...(parseIp(value)
      ? []
      : [
          {
            path,
            value,
            message: 'must be an IP address',
            fix: 'set an address of the Subnet, e.g. 10.20.0.12',
          },
        ]),
    ...checkGate(path, HarvesterGate.STATIC_ADDRESSES, harvester, 'remove staticAddress'),
  ];
}
