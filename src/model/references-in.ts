import { NETWORK_SETTINGS } from './harvester-settings/names';
import { groupOf, isRecord, Manifest, valueAt } from './manifest';
import { GROUP_HARVESTER_NETWORK, GROUPS } from './names';
import { BRIDGE_SUFFIX, NAME_ANNOTATIONS, NAME_FIELDS, NameForm, OBJECT_FIELDS, Reference, SECRET_URL } from './references';

/** An object of the same cluster that another names. */
export interface FoundReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Where to look for it. @default - in the namespace of who refers, and among objects without one */
  readonly namespaces?: readonly string[];
}

/**
 * What the content of an object refers to. Texts that look like references and are none do no harm: nothing of that name is found.
 */
export function referencesIn(manifest: Manifest): FoundReference[] {
  const found: FoundReference[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      const secret = SECRET_URL.exec(value);
      if (secret) { found.push({ group: '', kind: 'Secret', name: secret[2], namespaces: [secret[1]] }); }
    } else if (Array.isArray(value)) {
      value.forEach(walk);
    } else if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) {
        found.push(...named(key, inner));
        walk(inner);
      }
    }
  };
  walk({ ...manifest, metadata: { annotations: manifest.metadata.annotations } });
  found.push(...machineConfigs(manifest), ...bridge(manifest), ...networkOfSetting(manifest));
  return found;
}

function named(key: string, value: unknown): FoundReference[] {
  const byName = NAME_FIELDS.get(key) ?? NAME_ANNOTATIONS.get(key);
  if (byName && typeof value === 'string' && value !== '') { return [inForm(byName, value)]; }
  const byObject = OBJECT_FIELDS.get(key);
  if (byObject && isRecord(value) && typeof value.name === 'string') { return [at(byObject, value.name, value.namespace)]; }
  if (key === 'imagePullSecrets' && Array.isArray(value)) {
    return value.flatMap((item) => (isRecord(item) && typeof item.name === 'string' ? [{ group: '', kind: 'Secret', name: item.name }] : []));
  }
  return [];
}

function inForm(reference: Reference, text: string): FoundReference {
  const mark = { [NameForm.NAME]: undefined, [NameForm.SLASH]: '/', [NameForm.COLON]: ':' }[reference.form];
  const place = mark === undefined ? -1 : text.indexOf(mark);
  return place < 0 ? at(reference, text) : at(reference, text.slice(place + 1), text.slice(0, place));
}

function at({ group, kind }: Reference, name: string, namespace?: unknown): FoundReference {
  return { group, kind, name, ...(typeof namespace === 'string' ? { namespaces: [namespace] } : {}) };
}

/** The machine configs of the pools of a provisioning Cluster. @see rancher/rancher:pkg/apis/rke.cattle.io/v1 RKEMachinePool */
function machineConfigs(manifest: Manifest): FoundReference[] {
  const pools = valueAt(manifest, 'spec', 'rkeConfig', 'machinePools');
  return (Array.isArray(pools) ? pools : []).flatMap((pool: unknown) => {
    const config = valueAt(pool, 'machineConfigRef');
    if (!isRecord(config) || typeof config.kind !== 'string' || typeof config.name !== 'string') { return []; }
    return [{ group: 'rke-machine-config.cattle.io', kind: config.kind, name: config.name }];
  });
}

/** The cluster network that a network setting of Harvester names in its JSON. */
function networkOfSetting({ apiVersion, kind, metadata: { name: setting }, value }: Manifest): FoundReference[] {
  if (groupOf(apiVersion) !== GROUPS.HARVESTER || kind !== 'Setting' || !NETWORK_SETTINGS.includes(setting) || typeof value !== 'string') { return []; }
  const name = /"clusterNetwork"\s*:\s*"([^"]+)"/.exec(value)?.[1];
  return name === undefined ? [] : [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name }];
}

/** The cluster network of a NetworkAttachmentDefinition: Harvester's webhook reads it from the name of the bridge. */
function bridge({ kind, spec }: Manifest): FoundReference[] {
  const config = valueAt(spec, 'config');
  if (kind !== 'NetworkAttachmentDefinition' || typeof config !== 'string') { return []; }
  const name = /"bridge"\s*:\s*"([^"]+)"/.exec(config)?.[1];
  if (!name?.endsWith(BRIDGE_SUFFIX)) { return []; }
  return [{ group: GROUP_HARVESTER_NETWORK, kind: 'ClusterNetwork', name: name.slice(0, -BRIDGE_SUFFIX.length) }];
}
