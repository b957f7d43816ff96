import { existsSync } from 'fs';
import { dirname, join, resolve } from 'path';
import { withoutSecretValues } from './hidden-secrets';
import { TargetKind } from '../../core/construct/target';
import { FoundCluster } from '../../core/draft/draft';
import { isLate } from '../../core/late/late-token';
import { Manifest, objectLabel } from '../../core/manifest/manifest';
import { Assembly, ASSEMBLY_FILE } from '../../core/output/assembly';
import { plainText } from '../../core/text/plain-text';
import { defined } from '../../core/text/values';
import { decryptedTemplate } from '../../engine/files/decrypt';
import { readAssembly } from '../../engine/read/load-assembly';

/** What the assembly of an output knows of a folder of manifests. */
export interface FolderOutput {
  /** The path of the assembly. */
  readonly file: string;
  readonly kind?: TargetKind;
  readonly facts: Pick<FoundCluster, 'version' | 'serverUrl' | 'vip'>;
  /**
   * Objects that are in no file, since they wait for late values; those are secrets, which no
   * adoption needs.
   */
  readonly objects: readonly Manifest[];
  readonly unread: FoundCluster['unread'];
}

/** What is known of a folder that a synthesis wrote for a target; nothing of any other folder. */
export function outputOf(folder: string): FolderOutput {
  const file = plainText(join(dirname(folder), ASSEMBLY_FILE));
  const none: FolderOutput = { file, facts: {}, objects: [], unread: [] };
  if (!existsSync(file)) {
    return none;
  }
  let assembly: Assembly;
  try {
    assembly = readAssembly(dirname(folder));
  } catch (error) {
    return { ...none, unread: [{ kind: file, reason: (error as Error).message }] };
  }
  const target = assembly.targets.find(
    (each) => resolve(dirname(folder), each.folder) === resolve(folder),
  );
  if (!target) {
    return none;
  }
  const { kind, version } = target;
  const { serverUrl, vip } = target.properties;
  const waiting = assembly.objects
    .flatMap(({ target: of, template }) =>
      of === target.name && template !== undefined ? [template] : [],
    )
    .map(read);
  return {
    file,
    kind: kind as TargetKind,
    facts: defined({ version, serverUrl, vip }),
    objects: waiting.flatMap((each) => ('reason' in each ? [] : [each])),
    unread: waiting.flatMap((each) =>
      'reason' in each ? [{ kind: file, reason: each.reason as string }] : [],
    ),
  };
}

/** A template as an object, or why it is not one yet. */
function read(template: Manifest): Manifest | { readonly reason: string } {
  const label = objectLabel(template);
  try {
    const manifest = decryptedTemplate(template);
    return isLate(JSON.stringify(withoutSecretValues(manifest)))
      ? {
          reason: `${label} waits for late values, which are known on the clusters only. Fix: adopt it from its cluster, or declare it by hand`,
        }
      : manifest;
  } catch (error) {
    return { reason: `${label} ${(error as Error).message}` };
  }
}
