import { checkLabel, checkOnHarvester, checkSameNamespace, checkGate } from './check-references';
import { SYSPREP_VOLUME } from '../machine-manifest.facts';
import { VirtualMachineProps } from './virtual-machine-props';
import { MachineIdentity } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/problem/problem';
import { HarvesterGate } from '../../version/harvester-version';

const SECRET_NAME = 'adopted.cloudInitSecretName';
const DISK_NAME = 'adopted.cloudInitDiskName';

/** Checks where the cloud-init of a VM comes from. */
export function checkCloudInit(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { cloudInitSecret: secret, sshKeys = [] } = props;
  const { cloudInitSecretName, cloudInitDiskName } = props.adopted ?? {};
  const others = [
    ...(['cloudInit', 'networkData'] as const).filter((prop) => props[prop] !== undefined),
    ...(cloudInitSecretName === undefined ? [] : [SECRET_NAME]),
  ];
  return [
    ...(secret && others.length > 0
      ? [
          {
            path: 'cloudInitSecret',
            value: secret.name,
            message: `cannot be combined with ${others.join(', ')}: the Secret would not contain them`,
            fix: `remove cloudInitSecret or ${others.join(', ')}`,
          },
        ]
      : []),
    ...(cloudInitSecretName !== undefined &&
    !secret &&
    !props.cloudInit &&
    !props.networkData &&
    sshKeys.length === 0
      ? [
          {
            path: SECRET_NAME,
            value: cloudInitSecretName,
            message: 'has no effect: the VM has no cloud-init',
            fix: 'set cloudInit, or remove it',
          },
        ]
      : []),
    ...(cloudInitDiskName === undefined ? [] : checkLabel(DISK_NAME, cloudInitDiskName)),
    ...(cloudInitDiskName === SYSPREP_VOLUME
      ? [
          {
            path: DISK_NAME,
            value: SYSPREP_VOLUME,
            message: 'cannot be used: it is the name of the disk with the answer file of Windows',
            fix: 'choose another name',
          },
        ]
      : []),
    ...(props.cloudInitInline ? checkInline(props) : []),
    ...(props.networkDataSecret && (props.networkData ?? props.cloudInitInline)
      ? [
          {
            path: 'networkDataSecret',
            value: props.networkDataSecret.name,
            message: 'cannot be combined with networkData and cloudInitInline',
            fix: 'keep one of them',
          },
        ]
      : []),
    ...checkOnHarvester(
      'networkDataSecret',
      props.networkDataSecret?.name,
      props.networkDataSecret?.harvester,
      harvester,
    ),
    ...checkSameNamespace(
      'networkDataSecret',
      props.networkDataSecret?.name,
      props.networkDataSecret?.namespace,
      machine,
    ),
    ...(props.filesystems?.length
      ? checkGate('filesystems', HarvesterGate.VM_FILESYSTEMS, harvester, 'remove filesystems')
      : []),
    ...checkOnHarvester('cloudInitSecret', secret?.name, secret?.harvester, harvester),
    ...checkSameNamespace('cloudInitSecret', secret?.name, secret?.namespace, machine),
    ...sshKeys.flatMap((key, index) =>
      checkOnHarvester(`sshKeys[${index}]`, key.keyPairId, key.harvester, harvester),
    ),
  ];
}

/** No Secret is written: the program itself adds nothing to the user data. */
function checkInline({
  cloudInit,
  networkData,
  cloudInitSecret,
  adopted,
  sshKeys = [],
}: VirtualMachineProps): Problem[] {
  const path = 'cloudInitInline';
  const named = adopted?.cloudInitSecretName === undefined ? undefined : SECRET_NAME;
  const other = cloudInitSecret ? 'cloudInitSecret' : named;
  if (other) {
    return [
      {
        path,
        message: `cannot be combined with ${other}: the VM then has no Secret`,
        fix: `remove ${other} or cloudInitInline`,
      },
    ];
  }
  if (!cloudInit && !networkData) {
    return [
      {
        path,
        message: 'has no effect: the VM has no cloud-init',
        fix: 'set cloudInit, or remove it',
      },
    ];
  }
  const text = cloudInit?.toText() ?? '';
  return sshKeys.flatMap(({ publicKey, keyPairId }, index) => {
    if (isLate(publicKey) || text.includes(publicKey.trim())) {
      return [];
    }
    return [
      {
        path: `sshKeys[${index}]`,
        value: keyPairId,
        message: 'must be in the user data: with cloudInitInline, Harvester only shows the key',
        fix: 'add its public key to sshAuthorizedKeys of cloudInit',
      },
    ];
  });
}
