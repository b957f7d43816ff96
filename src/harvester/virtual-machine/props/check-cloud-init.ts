import { checkLabel, checkOnHarvester, checkSameNamespace, checkGate } from './check-references';
import { SYSPREP_VOLUME } from '../machine-manifest.facts';
import { VirtualMachineProps } from './virtual-machine-props';
import { MachineIdentity } from './virtual-machine-spec';
import { IHarvesterTarget } from '../../../core/construct/target';
import { isLate } from '../../../core/late/late-token';
import { Problem } from '../../../core/problem/problem';
import { defined } from '../../../core/text/values';
import { ICloudInitSecret } from '../../cloud-init/cloud-init-secret';
import { HarvesterGate } from '../../version/harvester-version';

const SECRET_NAME = 'adopted.cloudInitSecretName';
const DISK_NAME = 'adopted.cloudInitDiskName';

/** Checks where the cloud-init of a VM comes from. */
export function checkCloudInit(
  machine: MachineIdentity,
  props: VirtualMachineProps,
  harvester: IHarvesterTarget,
): Problem[] {
  const { cloudInitSecret, networkDataSecret, sshKeys = [] } = props;
  return [
    ...checkSecretAlone(props),
    ...checkSecretName(props),
    ...checkDiskName(props),
    ...(props.cloudInitInline ? checkInline(props) : []),
    ...checkNetworkDataAlone(props),
    ...checkSecretPlace('networkDataSecret', networkDataSecret, machine, harvester),
    ...(props.filesystems?.length
      ? checkGate('filesystems', HarvesterGate.VM_FILESYSTEMS, harvester, 'remove filesystems')
      : []),
    ...checkSecretPlace('cloudInitSecret', cloudInitSecret, machine, harvester),
    ...sshKeys.flatMap((key, index) =>
      checkOnHarvester(`sshKeys[${index}]`, key.keyPairId, key.harvester, harvester),
    ),
  ];
}

function checkSecretAlone(props: VirtualMachineProps): Problem[] {
  const { cloudInitSecret, cloudInit, networkData, adopted } = props;
  const others = Object.keys(
    defined({ cloudInit, networkData, [SECRET_NAME]: adopted?.cloudInitSecretName }),
  );
  if (!cloudInitSecret || others.length === 0) {
    return [];
  }
  return [
    {
      path: 'cloudInitSecret',
      value: cloudInitSecret.name,
      message: `cannot be combined with ${others.join(', ')}: the Secret would not contain them`,
      fix: `remove cloudInitSecret or ${others.join(', ')}`,
    },
  ];
}

/** Only a VM with cloud-init has a Secret that can have a name. */
function checkSecretName(props: VirtualMachineProps): Problem[] {
  const { cloudInitSecret, cloudInit, networkData, adopted, sshKeys = [] } = props;
  const name = adopted?.cloudInitSecretName;
  if (name === undefined || cloudInitSecret || cloudInit || networkData || sshKeys.length > 0) {
    return [];
  }
  return [
    {
      path: SECRET_NAME,
      value: name,
      message: 'has no effect: the VM has no cloud-init',
      fix: 'set cloudInit, or remove it',
    },
  ];
}

function checkDiskName({ adopted }: VirtualMachineProps): Problem[] {
  const name = adopted?.cloudInitDiskName;
  if (name === undefined) {
    return [];
  }
  const problems = checkLabel(DISK_NAME, name);
  if (name === SYSPREP_VOLUME) {
    problems.push({
      path: DISK_NAME,
      value: SYSPREP_VOLUME,
      message: 'cannot be used: it is the name of the disk with the answer file of Windows',
      fix: 'choose another name',
    });
  }
  return problems;
}

function checkNetworkDataAlone(props: VirtualMachineProps): Problem[] {
  const { networkDataSecret, networkData, cloudInitInline } = props;
  if (!networkDataSecret || !(networkData ?? cloudInitInline)) {
    return [];
  }
  return [
    {
      path: 'networkDataSecret',
      value: networkDataSecret.name,
      message: 'cannot be combined with networkData and cloudInitInline',
      fix: 'keep one of them',
    },
  ];
}

function checkSecretPlace(
  path: string,
  secret: ICloudInitSecret | undefined,
  machine: MachineIdentity,
  harvester: IHarvesterTarget,
): Problem[] {
  return [
    ...checkOnHarvester(path, secret?.name, secret?.harvester, harvester),
    ...checkSameNamespace(path, secret?.name, secret?.namespace, machine),
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
