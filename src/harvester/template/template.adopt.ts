import {
  Draft,
  FoundObject,
  call,
  declare,
  Inverse,
  inverseOf,
  namespaceProp,
  numberAt,
  refer,
  Surroundings,
  textAt,
} from '../../core/draft/draft';
import { Manifest, kindKey, valueAt } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { isListedOnly, listedDescriptionProp } from '../harvester-object.adopt';
import { imageProp } from '../machine/disk.adopt';
import { API_KUBEVIRT, KIND_VIRTUAL_MACHINE } from '../virtual-machine/machine-manifest.facts';
import { vmProps } from '../virtual-machine/virtual-machine.adopt';
import { KIND_TEMPLATE, KIND_TEMPLATE_VERSION } from '../virtual-machine/virtual-machine.kind';

const TEMPLATE = kindKey(GROUPS.HARVESTER, KIND_TEMPLATE);

/** From a VirtualMachineTemplate to the construct. */
export const TEMPLATE_INVERSE = inverseOf(
  'VirtualMachineTemplate',
  TEMPLATE,
  (manifest, object) => ({
    namespace: namespaceProp(object),
    ...listedDescriptionProp(object),
    adopted:
      isListedOnly(manifest) || valueAt(manifest, 'spec') === undefined
        ? { asWritten: true }
        : undefined,
  }),
);

/** From a VirtualMachineTemplateVersion to the construct. */
export const TEMPLATE_VERSION_INVERSE: Inverse = {
  kinds: [kindKey(GROUPS.HARVESTER, KIND_TEMPLATE_VERSION)],
  drafts: draftOf,
};

function draftOf(object: FoundObject, around: Surroundings): Draft | undefined {
  const { target, manifest } = object;
  const { name, namespace = 'default' } = manifest.metadata;
  const [space, template] = (textAt(manifest, 'spec', 'templateId') ?? '').split('/');
  if (template === undefined || space !== namespace) {
    return undefined;
  }
  const found = around.find({
    target,
    group: GROUPS.HARVESTER,
    kind: KIND_TEMPLATE,
    namespace,
    name: template,
  });
  const image = textAt(manifest, 'spec', 'imageId');
  const vm = valueAt(manifest, 'spec', 'vm') as Partial<Manifest> | undefined;
  const seconds = numberAt(
    manifest,
    'spec',
    'vm',
    'spec',
    'template',
    'spec',
    'terminationGracePeriodSeconds',
  );
  const machine: Manifest = {
    ...vm,
    apiVersion: API_KUBEVIRT,
    kind: KIND_VIRTUAL_MACHINE,
    metadata: { ...vm?.metadata, name, namespace },
  };
  return declare(object, 'VirtualMachineTemplateVersion', {
    template: refer(object, TEMPLATE, template, namespace),
    isDefault:
      found && textAt(found.manifest, 'spec', 'defaultVersionId') === `${namespace}/${name}`
        ? true
        : undefined,
    image: image === undefined ? undefined : imageProp(object, image),
    ...listedDescriptionProp(object),
    ...vmProps({ ...object, manifest: machine }, around, {
      isTemplate: true,
      isSparse: isListedOnly(manifest),
    }),
    // Harvester fills in that of VMs alone
    terminationGracePeriod:
      seconds === undefined ? undefined : call('Duration', 'seconds', seconds),
  });
}
