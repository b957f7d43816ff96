import { DeviceFit, DeviceUser, deviceFitsBy, deviceUserText } from './fit/device-fit.facts';
import { Found } from '../../core/rule/findings';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { Rule } from '../../core/rule/rule';
import { some } from '../../core/text/plain-text';
import { MACHINE_KINDS } from '../virtual-machine/machine-manifest.facts';

/** The problem of a machine, or of a pool, that shares devices with others. */
function problemOf(fit: DeviceFit, user: DeviceUser): Found & { readonly path: string } {
  const { target, resource, has, needs, peak, fits } = fit;
  const others = fit.users.filter((other) => other !== user).map(deviceUserText);
  const next = others.length === 0 ? '' : `, next to ${some(others)}`;
  const offer = `${target.name} has ${has}`;
  if (fits === 'without surge') {
    return {
      path: user.path,
      level: 'warning',
      message: `needs ${peak} of the device ${resource} for ${fit.isScaled ? 'all machines of the autoscaler' : 'the machines that a rolling update creates first'}${next}: ${offer}`,
      fix: fit.isScaled
        ? 'lower the maximum of the autoscaler, or add devices'
        : 'set rollingUpdate.maxSurge to 0 and maxUnavailable to 1, or add devices',
    };
  }
  const doubt = fits === 'no' ? '' : ', unless another claimed device has the same resource';
  const says = `Insufficient ${resource}`;
  return user.device === undefined
    ? {
        path: user.path,
        level: errorIf(fits === 'no'),
        message: `needs ${user.count} of the device ${resource}${next}: ${offer}${doubt}`,
        fix: 'lower the quantity, or enable more virtual GPUs of the type',
        says,
      }
    : {
        path: `${user.path}.name`,
        value: user.device,
        level: errorIf(fits === 'no'),
        message: `cannot run${next.replace(', next to', ' at the same time as')}: together they need ${needs} of the device ${resource}, and ${offer}${doubt}`,
        fix: 'use another device, or set runStrategy Halted of one of them',
        ...(resource === user.device ? {} : { says }),
      };
}

/** Rules on devices that several machines have. */
export const DEVICE_FIT_RULES: readonly Rule[] = rules({}, [
  {
    id: 'virtual-machine/device-twice',
    kinds: [...MACHINE_KINDS, 'provisioning.cattle.io/Cluster'],
    what: 'a Harvester has a device for each virtual machine that runs with one: another machine does not start',
    source:
      'harvester/pcidevices:pkg/deviceplugins/device_manager.go constructDPIdevices: the resource has as many items as claimed devices; kubernetes/kubernetes:pkg/scheduler/framework/plugins/noderesources/fit.go',
    judge: (object, world) =>
      deviceFitsBy(world)
        .get(object)
        ?.filter(({ fit }) => fit.fits !== 'yes')
        .map(({ fit, user }) => problemOf(fit, user)),
  },
]);
