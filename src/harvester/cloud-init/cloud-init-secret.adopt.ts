import { CLOUD_INIT_KEY, CLOUD_INIT_SUFFIX, LABEL_CLOUD_INIT_TEMPLATE } from './cloud-init.check';
import { TargetKind } from '../../core/construct/target';
import { ofChart } from '../../core/draft/chart-namespace';
import { call, Inverse, Surroundings, textAt, unless, declare } from '../../core/draft/draft';
import {
  Manifest,
  groupOf,
  isRecord,
  kindKey,
  labelsOf,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { namespacedProps } from '../harvester-object.adopt';
import { VIRTUAL_MACHINE } from '../machine/disk.adopt';
import { cloudInitVolumeOf, instanceOf } from '../virtual-machine/machine-manifest.facts';
import { KIND_TEMPLATE_VERSION } from '../virtual-machine/virtual-machine.kind';

const TEMPLATE_VERSION = kindKey(GROUPS.HARVESTER, KIND_TEMPLATE_VERSION);

const DRIVES = ['cloudInitNoCloud', 'cloudInitConfigDrive'];

/**
 * How a program refers to Secrets that virtual machines read: their content is not read, so it
 * declares none of them.
 */
export const CLOUD_INIT_SECRET_INVERSE: Inverse = {
  kinds: ['/Secret'],
  on: TargetKind.HARVESTER,
  leftOut: ({ target, manifest }, around) => {
    const { namespace, name } = manifest.metadata;
    const machine = machinesIn(target, namespace, around).find((each) =>
      namesOfSecrets(instanceOf(each)).includes(name),
    );
    if (machine) {
      return `is read by the virtual machine ${namespace}/${machine.metadata.name}, and its content is not known to the program`;
    }
    return LABEL_CLOUD_INIT_TEMPLATE in labelsOf(manifest)
      ? 'holds cloud-init, whose text the program does not know'
      : undefined;
  },
  existing: ({ target, namespace, name }, around) => {
    const machines = machinesIn(target, namespace, around).filter((machine) =>
      namesOfSecrets(instanceOf(machine)).includes(name),
    );
    const hasNetworkData = machines.some((machine) =>
      DRIVES.some((drive) =>
        ['secretRef', 'networkDataSecretRef'].every(
          (field) => valueAt(cloudInitVolumeOf(machine), drive, field, 'name') === name,
        ),
      ),
    );
    const props = {
      namespace: unless(namespace, ofChart(around.cluster(target).chartNamespace)),
      name,
      hasNetworkData: hasNetworkData || undefined,
    };
    // the UI names it by random characters
    const id = machines.length === 1 ? `${machines[0].metadata.name}${CLOUD_INIT_SUFFIX}` : name;
    return { type: 'CloudInitSecret', method: 'fromName', id, props };
  },
};

/** From a ConfigMap that Harvester's UI offers as cloud-init to the construct. */
export const CLOUD_INIT_TEMPLATE_INVERSE: Inverse = {
  kinds: ['/ConfigMap'],
  on: TargetKind.HARVESTER,
  drafts: (object) => {
    const { manifest } = object;
    const text = textAt(manifest, 'data', CLOUD_INIT_KEY);
    const kind = labelsOf(manifest)[LABEL_CLOUD_INIT_TEMPLATE];
    if (text === undefined || (kind !== 'user' && kind !== 'network')) {
      return [];
    }
    const content = call(kind === 'user' ? 'CloudInit' : 'NetworkData', 'fromYaml', text);
    return declare(object, 'CloudInitTemplate', namespacedProps(object), {
      method: kind,
      args: [content],
    });
  },
};

/** The virtual machines of a namespace, and those of its templates. */
function machinesIn(
  target: string,
  namespace: string | undefined,
  around: Surroundings,
): readonly Manifest[] {
  const manifests = around.cluster(target).objects.map(({ manifest }) => manifest);
  return manifests
    .filter(({ metadata }) => metadata.namespace === namespace)
    .flatMap((manifest) => {
      const { apiVersion, kind } = manifest;
      switch (`${groupOf(apiVersion)}/${kind}`) {
        case VIRTUAL_MACHINE:
          return [manifest];
        case TEMPLATE_VERSION:
          return [{ ...manifest, spec: valueAt(manifest, 'spec', 'vm', 'spec') }];
        default:
          return [];
      }
    });
}

const REFERENCES = ['secret', 'secretRef', 'networkDataSecretRef'];

/** The names of the Secrets in the volumes and credentials of a VM. */
function namesOfSecrets(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap(namesOfSecrets);
  }
  if (!isRecord(value)) {
    return [];
  }
  return Object.entries(value).flatMap(([key, each]) => {
    const names = isRecord(each) && REFERENCES.includes(key) ? [each.name, each.secretName] : [];
    return [
      ...names.filter((name): name is string => typeof name === 'string'),
      ...namesOfSecrets(each),
    ];
  });
}
