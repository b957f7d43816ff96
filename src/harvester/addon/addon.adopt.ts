import { valuesOf } from './addon.check';
import { LABEL_EXPERIMENTAL, bundledAddon } from './addon.kind';
import {
  Draft,
  DraftProps,
  FoundObject,
  Inverse,
  booleanAt,
  textAt,
  unless,
  byName,
  declare,
} from '../../core/draft/draft';
import { labelsOf } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { namespacedProps } from '../harvester-object.adopt';

/** The methods for add-ons that Harvester includes. */
const METHODS: { readonly [name: string]: string } = {
  'rancher-monitoring': 'monitoring',
  'rancher-logging': 'logging',
  'pcidevices-controller': 'pciDevices',
  'vm-import-controller': 'vmImport',
  'kubeovn-operator': 'kubeOvn',
  'nvidia-driver-toolkit': 'nvidiaDriver',
};

/** From an Addon to the construct. */
export const ADDON_INVERSE: Inverse = {
  kinds: [`${GROUPS.HARVESTER}/Addon`],
  drafts: (object) =>
    bundledAddon(object.manifest.metadata.name, object.manifest.metadata.namespace)
      ? bundled(object)
      : own(object),
  existing: byName('Addon'),
};

function own(object: FoundObject): Draft {
  const { manifest } = object;
  const text = textAt(manifest, 'spec', 'valuesContent');
  const [values, fault] = valuesOf(text ?? '');
  return declare(object, 'Addon', {
    ...namespacedProps(object),
    repository: textAt(manifest, 'spec', 'repo'),
    chart: textAt(manifest, 'spec', 'chart'),
    version: textAt(manifest, 'spec', 'version'),
    enabled: unless(booleanAt(manifest, 'spec', 'enabled') ?? false, true),
    values: text === undefined || fault !== undefined ? undefined : (values as DraftProps),
    experimental: labelsOf(manifest)[LABEL_EXPERIMENTAL] === 'true' ? true : undefined,
  });
}

/**
 * Harvester sets the chart and its version; the current values remain where the program sets none.
 */
function bundled(object: FoundObject): Draft {
  const { manifest } = object;
  const { name } = manifest.metadata;
  const enabled = unless(booleanAt(manifest, 'spec', 'enabled') ?? false, true);
  const method = METHODS[name];
  const props = method === undefined ? { name, enabled } : { enabled };
  return declare(object, 'BundledAddon', props, {
    method,
    isNamedById: false,
    serverOwns: ['spec'],
  });
}
