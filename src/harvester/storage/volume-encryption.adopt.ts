import { CRYPTO_KEY, CSI_SECRET_PAIRS } from './storage.kind';
import { TargetKind } from '../../core/construct/target';
import { ObjectName, Inverse, Surroundings, mapAt, byName } from '../../core/draft/draft';
import { Manifest } from '../../core/manifest/manifest';
import { STORAGE_CLASS_KIND } from '../machine/disk.adopt';

/** How a program refers to the keys of encrypted volumes, whose values it does not know. */
export const VOLUME_ENCRYPTION_INVERSE: Inverse = {
  kinds: ['/Secret'],
  on: TargetKind.HARVESTER,
  leftOut: ({ manifest }) =>
    isKey(manifest)
      ? 'is the key of encrypted volumes, whose value the program does not know'
      : undefined,
  existing: (name, around) =>
    isUsedAsKey(name, around) ? byName('VolumeEncryption')(name, around) : undefined,
};

function isKey(manifest: Manifest): boolean {
  return CRYPTO_KEY.VALUE in (mapAt(manifest, 'data') ?? {});
}

function isUsedAsKey(object: ObjectName, around: Surroundings): boolean {
  const secret = around.find(object);
  if (secret) {
    return isKey(secret.manifest);
  }
  const [pair] = CSI_SECRET_PAIRS;
  const [group, kind] = STORAGE_CLASS_KIND.split('/');
  const classes = around
    .cluster(object.target)
    .objects.filter(
      ({ manifest }) => manifest.kind === kind && manifest.apiVersion.startsWith(`${group}/`),
    );
  return classes.some(({ manifest }) => {
    const parameters = mapAt(manifest, 'parameters');
    return (
      parameters?.[pair.name] === object.name && parameters[pair.namespace] === object.namespace
    );
  });
}
