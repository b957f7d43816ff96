import { AccessEntry, Place, Right } from './matrix';

/** A place in words, e.g. `project Payments on dc1`. */
export function placeText({ kind, name, clusterName }: Place): string {
  switch (kind) {
    case 'rancher': return 'Rancher';
    case 'rancher namespace': return `namespace ${name} on Rancher`;
    case 'cluster': return `cluster ${name}`;
    case 'project': return `project ${name} on ${clusterName}`;
    case 'namespace': return `namespace ${name} on ${clusterName}`;
  }
}

/** The namespaces of a place in words; undefined where there is nothing to add. */
export function namespacesText({ kind, namespaces = [] }: Place): string | undefined {
  if (kind !== 'project') { return undefined; }
  return namespaces.length === 0 ? 'no namespaces that are known here' : `${namespaces.length === 1 ? 'namespace' : 'namespaces'} ${namespaces.join(', ')}`;
}

/** How much a right is, in one word or its verbs. */
export function levelText({ level, verbs }: Right): string {
  return level === 'some' ? verbs.join(', ') : level;
}

/** All reasons why rights are not sure, each once. */
export function doubts(entries: readonly AccessEntry[]): string[] {
  return [...new Set(entries.flatMap(({ may }) => may.flatMap(({ unconfirmed }) => unconfirmed ?? [])))];
}

/** The roles of an entry by name, each once. */
export function roleNames({ roles }: AccessEntry): string {
  return [...new Set(roles.map(({ id, name }) => (name === id ? id : `${name} (${id})`)))].join(', ');
}
