import { FoundObject, FoundCluster } from '../../core/draft/draft';
import {
  Manifest,
  annotationsOf,
  groupOf,
  kindKey,
  labelsOf,
  valueAt,
} from '../../core/manifest/manifest';
import { GROUPS, ANNOTATION_PROJECT_ID } from '../../core/manifest/names';
import { filledText, some } from '../../core/text/plain-text';
import { compare, grouped, remembered } from '../../core/text/values';
import { projectIdOf } from '../../rancher/project/project.kind';

/** What objects are selected by. */
export const SELECT_KEYS = ['namespace', 'project', 'label', 'cluster', 'kind'] as const;

type SelectKey = (typeof SELECT_KEYS)[number];

/** One condition: `namespace=shop`. */
interface Condition {
  readonly key: SelectKey;
  readonly value: string;
}

/** How many values an error names. */
const MAX_NAMED = 10;

/**
 * Reads conditions such as `namespace=shop`, `project=Shop`, `label=team=a`, `cluster=dc1`,
 * `kind=VirtualMachine`. Throws for all that are not.
 */
function conditionsOf(texts: readonly string[]): Condition[] {
  const problems: string[] = [];
  const conditions = texts.flatMap((text): Condition[] => {
    const equals = text.indexOf('=');
    const [key, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
    const known = SELECT_KEYS.find((each) => each === key);
    if (known === undefined || value === '') {
      problems.push(
        `--select: must be ${SELECT_KEYS.map((each) => `${each}=<value>`).join(', ')}, got ${text}`,
      );
      return [];
    }
    return [{ key: known, value }];
  });
  if (problems.length > 0) {
    throw new Error(
      `${problems.join('\n')}. Fix: use e.g. namespace=shop, label=team=a or kind=VirtualMachine`,
    );
  }
  return conditions;
}

/** Selects objects: values of one key are alternatives, and each key must match. */
export class ObjectSelection {
  private readonly conditions: ReadonlyMap<SelectKey, readonly Condition[]>;
  private readonly projects: ReadonlyMap<string, ReadonlySet<string>>;
  private readonly namespaces: ReadonlyMap<FoundCluster['name'], ReadonlyMap<string, string>>;

  /**
   * @param texts as the user wrote them
   * @param clusters all that was read: projects are on Rancher, and their namespaces elsewhere
   * @throws for an unknown key, and for values that match nothing
   */
  public constructor(
    texts: readonly string[],
    private readonly clusters: readonly FoundCluster[],
  ) {
    const conditions = conditionsOf(texts);
    this.conditions = grouped(conditions, ({ key }) => key);
    this.projects = projectIds(clusters);
    this.namespaces = new Map(
      clusters.map(({ name, objects }) => [name, projectsOfNamespaces(objects)]),
    );
    const objects = clusters.flatMap((cluster) => cluster.objects);
    const unmatched = conditions.filter(
      (condition) => !objects.some((object) => this.matches(object, condition)),
    );
    if (unmatched.length > 0) {
      throw new Error(unmatched.map((condition) => this.unmatchedText(condition)).join('\n'));
    }
  }

  /** Whether an object is selected; all are without conditions. */
  public selects(object: FoundObject): boolean {
    return [...this.conditions.values()].every((alternatives) =>
      alternatives.some((condition) => this.matches(object, condition)),
    );
  }

  private matches({ target, manifest }: FoundObject, { key, value }: Condition): boolean {
    switch (key) {
      case 'cluster':
        return target === value;
      case 'namespace':
        return namespaceOfObject(manifest) === value;
      case 'kind':
        return kindNames(manifest).includes(value.toLowerCase());
      case 'label':
        return hasLabel(manifest, value);
      default:
        return this.isOfProject(target, manifest, value);
    }
  }

  /** The project itself, its members, its namespaces on all clusters, and what is in them. */
  private isOfProject(target: string, manifest: Manifest, project: string): boolean {
    const ids = this.projects.get(project);
    if (!ids) {
      return false;
    }
    const namespace = namespaceOfObject(manifest);
    const own = [
      isProject(manifest) ? idOfProject(manifest) : undefined,
      manifest.projectName,
      annotationsOf(manifest)[ANNOTATION_PROJECT_ID],
      namespace === undefined ? undefined : this.namespaces.get(target)?.get(namespace),
    ];
    return own.some((id) => typeof id === 'string' && ids.has(id));
  }

  private unmatchedText({ key, value }: Condition): string {
    const known = [
      ...new Set(this.clusters.flatMap((cluster) => this.valuesOf(key, cluster))),
    ].sort(compare);
    return `--select ${key}=${value}: matches no object; found ${known.length === 0 ? 'none' : some(known, MAX_NAMED)}. Fix: correct the value, or leave it out`;
  }

  private valuesOf(key: SelectKey, { name, objects }: FoundCluster): string[] {
    switch (key) {
      case 'cluster':
        return [name];
      case 'namespace':
        return objects.flatMap(({ manifest }) => namespaceOfObject(manifest) ?? []);
      case 'kind':
        return objects.map(({ manifest }) => manifest.kind);
      case 'label':
        return objects.flatMap(({ manifest }) => Object.keys(labelsOf(manifest)));
      default:
        return objects
          .filter(({ manifest }) => isProject(manifest))
          .map(({ manifest }) => displayNameOf(manifest));
    }
  }
}

/** The namespace that an object is in; that of a Namespace is itself. */
export function namespaceOfObject({ apiVersion, kind, metadata }: Manifest): string | undefined {
  const { name, namespace } = metadata;
  return kind === 'Namespace' && groupOf(apiVersion) === '' ? name : namespace;
}

/** How users name a kind: `VirtualMachine`, or `harvesterhci.io/Setting`. */
export function kindNames({ apiVersion, kind }: Manifest): string[] {
  return [kind.toLowerCase(), kindKey(groupOf(apiVersion), kind).toLowerCase()];
}

/** `team=a`, or `team` with any value. */
function hasLabel(manifest: Manifest, label: string): boolean {
  const labels = labelsOf(manifest);
  const equals = label.indexOf('=');
  return equals < 0
    ? Object.hasOwn(labels, label)
    : labels[label.slice(0, equals)] === label.slice(equals + 1);
}

function isProject({ apiVersion, kind }: Manifest): boolean {
  return kind === 'Project' && groupOf(apiVersion) === GROUPS.MANAGEMENT;
}

function idOfProject({ metadata }: Manifest): string {
  const { name, namespace = '' } = metadata;
  return projectIdOf(namespace, name);
}

function displayNameOf(project: Manifest): string {
  return filledText(valueAt(project, 'spec', 'displayName')) ?? project.metadata.name;
}

/**
 * The IDs of projects by their display names, names and IDs; several clusters may have a project of
 * a name.
 */
function projectIds(clusters: readonly FoundCluster[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  const objects = clusters.flatMap((cluster) => cluster.objects);
  for (const { manifest } of objects.filter((object) => isProject(object.manifest))) {
    const id = idOfProject(manifest);
    for (const name of [displayNameOf(manifest), manifest.metadata.name, id]) {
      remembered(ids, name, () => new Set<string>()).add(id);
    }
  }
  return ids;
}

/**
 * The projects of the namespaces of a cluster: by their annotation, or as the namespace of the
 * project's own objects.
 */
function projectsOfNamespaces(objects: readonly FoundObject[]): Map<string, string> {
  return new Map(
    objects.flatMap(({ manifest }): [string, string][] => {
      if (isProject(manifest)) {
        const backing = valueAt(manifest, 'status', 'backingNamespace');
        return typeof backing === 'string' && backing !== ''
          ? [[backing, idOfProject(manifest)]]
          : [];
      }
      const project = annotationsOf(manifest)[ANNOTATION_PROJECT_ID];
      return manifest.kind === 'Namespace' && typeof project === 'string'
        ? [[manifest.metadata.name, project]]
        : [];
    }),
  );
}
