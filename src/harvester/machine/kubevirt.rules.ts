import { MACHINE, TEMPLATE_CPUS } from './kubevirt.check';
import { judgeFields } from '../../core/kubernetes/kubernetes.rules';
import { kindKey } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { rules } from '../../core/rule/kit/fact';
import { Rule } from '../../core/rule/rule';
import { MACHINE_KINDS } from '../virtual-machine/machine-manifest.facts';
import { KIND_TEMPLATE_VERSION } from '../virtual-machine/virtual-machine.kind';

const ADMITTERS = 'kubevirt/kubevirt:pkg/virt-api/webhooks/validating-webhook/admitters';

/** Rules on what the webhooks of KubeVirt refuse of virtual machines. */
export const KUBEVIRT_RULES: readonly Rule[] = [
  ...rules({ kinds: MACHINE_KINDS, surelyOn: 'harvester' }, [
    {
      id: 'virtual-machine/kubevirt',
      what: 'disks, NICs, input devices, probes, credentials, cloud-init data, and affinities of a virtual machine are what KubeVirt accepts with the feature gates of Harvester',
      source: `${ADMITTERS}/vmi-create-admitter.go; pkg/network/admitter/netiface.go; pkg/storage/admitters/disks.go (1.7.0); seen on Harvester 1.8.2`,
      judge: (object, world) =>
        judgeFields(MACHINE, object, world).filter(
          // an apply keeps the metadata of the template of a live machine
          ({ path }) => path !== 'spec.template.metadata' || !world.exists(object),
        ),
    },
  ]),
  ...rules({ kinds: [kindKey(GROUPS.HARVESTER, KIND_TEMPLATE_VERSION)] }, [
    {
      id: 'template-version/cpus',
      what: 'numbers of CPUs of a template are 0 to 4294967295',
      source: 'kubevirt/kubevirt:api/core/v1/schema.go CPU (1.7.0); seen on Harvester 1.8.2',
      judge: (object, world) => judgeFields(TEMPLATE_CPUS, object, world),
    },
  ]),
];
