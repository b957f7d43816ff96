import { basename, dirname, join, sep } from 'path';
import { isRecord, Manifest } from '../../core/manifest/manifest';

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

/** Whether a folder with these files is a chart of Helm: its values and templates are not objects. */
export function isChart(names: readonly string[]): boolean {
  return names.includes(CHART_FILE);
}

/** The commands that make manifests of what is none. */
export const RENDERED_BY = { CHART: 'helm template', KUSTOMIZATION: 'kustomize build' } as const;

/** What a kustomization is. */
export const IS_KUSTOMIZATION = 'is a kustomization, whose changes are not made here';

/** What a template is. */
export const IS_TEMPLATE = 'is a template';

/** Whether a file is a kustomization. */
export function isKustomization(file: string): boolean {
  return KUSTOMIZATION.test(basename(file));
}

/**
 * The file by which Fleet reads a folder. @see https://fleet.rancher.io/ref-fleet-yaml
 */
const FLEET = /^fleet\.ya?ml$/i;

/** Whether a file is for Fleet, and not an object. */
export function isFleetFile(file: string): boolean {
  return FLEET.test(basename(file));
}

/**
 * Fields of a kustomization with the paths of files that are not objects of their own, with what each
 * file is.
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/
 */
const PARTS: { readonly [field: string]: string } = {
  patches: 'is a patch of',
  patchesStrategicMerge: 'is a patch of',
  patchesJson6902: 'is a patch of',
  components: 'is a component of',
  transformers: 'is a transformer of',
  validators: 'is a validator of',
  generators: 'is a generator of',
  replacements: 'is a list of replacements of',
  configurations: 'is a configuration of',
};

/** The files that kustomizations name and that are not objects of their own, with what they are. */
export function partFiles(
  kustomizations: readonly Pick<ReadFile, 'file' | 'documents'>[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { file, documents } of kustomizations) {
    for (const document of documents.filter(isRecord)) {
      for (const [field, what] of Object.entries(PARTS)) {
        const entries = document[field];
        for (const path of (Array.isArray(entries) ? entries : []).flatMap(pathOf)) {
          found.set(join(dirname(file), path.split('/').join(sep)), `${what} ${file}`);
        }
      }
    }
  }
  return found;
}

/** The path in an entry of a kustomization, which may also be the text itself. */
function pathOf(entry: unknown): readonly string[] {
  const path = isRecord(entry) ? entry.path : entry;
  return typeof path === 'string' && !path.includes('\n') ? [path] : [];
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
 * What no server accepts in a name, and tools fill in: `${NAME}`, `$NAME`, `{{ name }}`, `<name>`, `@NAME@`.
 */
const PLACEHOLDER = /[${}<>]|^@.+@$/;

/**
 * The name or namespace of an object that something else fills in; undefined for an object with
 * names.
 */
export function placeholderIn({ metadata }: Manifest): string | undefined {
  const { name, namespace = '' } = metadata;
  return [name, namespace].find((each) => PLACEHOLDER.test(each));
}

/**
 * Whether a text is a template that something else fills in: it is not YAML, or not that of an
 * object.
 */
export function isTemplate(text: string): boolean {
  return /^\s*\{\{-?\s/m.test(text) || /:\s*\{\{-?\s[^}]*\}\}/.test(text);
}
