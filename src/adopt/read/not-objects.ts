import { existsSync } from 'fs';
import { basename, dirname, join, relative, resolve, sep } from 'path';
import { withoutSecretValues } from './hidden-secrets';
import { TargetKind } from '../../core/app/target';
import { FoundCluster } from '../../core/draft/draft';
import { isLate } from '../../core/late/late-token';
import { isRecord, Manifest, objectLabel } from '../../core/manifest/manifest';
import { Assembly, ASSEMBLY_FILE } from '../../core/output/assembly';
import { plainText } from '../../core/text/plain-text';
import { defined } from '../../core/text/values';
import { decryptedTemplate } from '../../engine/read/decrypt';
import { readAssembly } from '../../engine/read/load-assembly';

/** A file with its documents. */
export interface ReadFile {
  readonly file: string;
  readonly text: string;
  readonly documents: readonly unknown[];
}

/** A chart of Helm. @see https://helm.sh/docs/topics/charts/ */
const CHART_FILE = 'Chart.yaml';

/**
 * The file of a kustomization.
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/
 */
const KUSTOMIZATION = /^kustomization\.ya?ml$/i;

/**
 * Why a file belongs to a chart of Helm: its values and templates are not objects; undefined for
 * other files.
 */
export function chartReason(file: string, root: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, CHART_FILE))) {
      return `belongs to the Helm chart in ${relative(root, folder) || '.'}. Fix: run helm template, and adopt its output`;
    }
    if (resolve(folder) === resolve(root) || folder === dirname(folder)) {
      return undefined;
    }
  }
}

const BUILD = 'Fix: run kustomize build, and adopt its output';

/** Why a file is a kustomization; undefined for other files. */
export function kustomizationReason(file: string): string | undefined {
  return KUSTOMIZATION.test(basename(file))
    ? `is a kustomization, whose changes are not made here. ${BUILD}`
    : undefined;
}

/** Fields of a kustomization with the paths of patches: those files hold parts of objects. */
const PATCHES = [
  'patches',
  'patchesStrategicMerge',
  'patchesJson6902',
  'components',
  'transformers',
  'generators',
  'replacements',
  'configurations',
];

/** The files that kustomizations name as patches, with the reason why they are not objects. */
export function patchFiles(
  kustomizations: readonly Pick<ReadFile, 'file' | 'documents'>[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { file, documents } of kustomizations) {
    for (const document of documents.filter(isRecord)) {
      const entries = PATCHES.flatMap((field): readonly unknown[] =>
        Array.isArray(document[field]) ? document[field] : [],
      );
      for (const entry of entries) {
        const path = isRecord(entry) ? entry.path : entry;
        if (typeof path !== 'string' || path.includes('\n')) {
          continue;
        }
        found.set(
          join(dirname(file), path.split('/').join(sep)),
          `is a patch of ${file}. ${BUILD}`,
        );
      }
    }
  }
  return found;
}

/**
 * Comments of ytt, by which a file is YAML and a template.
 * @see https://carvel.dev/ytt/docs/latest/ytt-text-templates/
 */
const YTT = /(?:^|\s)#@(?:\s|\/|overlay\/|data\/|schema\/)/m;

/** Whether a text that is YAML is also a template of ytt. */
export function isYtt(text: string): boolean {
  return YTT.test(text);
}

/**
 * What no server accepts in a name, and tools fill in: `${NAME}`, `$NAME`, `{{ name }}`, `<name>`.
 */
const PLACEHOLDER = /[${}<>]/;

/**
 * The name or namespace of an object that something else fills in; undefined for an object with
 * names.
 */
export function placeholderIn({
  metadata: { name, namespace = '' },
}: Manifest): string | undefined {
  return [name, namespace].find((each) => PLACEHOLDER.test(each));
}

/**
 * Whether a text is a template that something else fills in: it is not YAML, or not that of an
 * object.
 */
export function isTemplate(text: string): boolean {
  return /^\s*\{\{-?\s/m.test(text) || /:\s*\{\{-?\s[^}]*\}\}/.test(text);
}

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
  const {
    kind,
    version,
    properties: { serverUrl, vip },
  } = target;
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
