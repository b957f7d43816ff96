import { Assembly, AssemblyEdge, AssemblyGroup, AssemblyObject } from './assembly';
import { AssemblyForm, FIELD_OF, ObjectForm, Waiting, Waits } from './assembly-form';
import { DeletionForms } from './deletion-form';
import { impliedGroups, lateEdges, lateNode, uniqueEdges } from './implied-edges';
import { sortFindings } from '../rule/judge';
import { compare } from '../text/values';

/** The assembly that `printAssembly` printed. */
export function readForm(form: AssemblyForm): Assembly {
  const { objects: objectForms, groups: groupForms = [], lateValues: lateForms = [] } = form;
  const { findings = [], ...others } = form;
  const stated: AssemblyEdge[] = [];
  const deletions = new DeletionForms(form.effects);
  const objects = objectForms
    .map((entry) => withDeletion(withoutWaits(entry, entry.id, stated), deletions))
    .sort(byId);
  const lateValues = lateForms
    .map((entry) => withoutWaits(entry, lateNode(entry.id), stated))
    .sort(byId);
  const groups = groupForms.map((entry) => withoutWaits(entry, entry.id, stated));
  const edges = uniqueEdges([...stated, ...lateEdges(objects, lateValues)]);
  const byPath = new Map<string, AssemblyGroup>();
  for (const group of impliedGroups(objects, edges)) {
    byPath.set(group.id, group);
  }
  for (const { id, objects: members } of groups) {
    if (members) {
      byPath.set(id, { id, objects: members });
    }
  }
  return {
    ...others,
    objects,
    groups: [...byPath.values()].sort(byId),
    edges,
    lateValues,
    findings: sortFindings(findings),
  };
}

// in its place, so that an entry is printed as it was read
function withDeletion(entry: ObjectForm, deletions: DeletionForms): AssemblyObject {
  const deletion = deletions.read(entry, entry.deletion);
  return deletion ? { ...entry, deletion } : (entry as AssemblyObject);
}

/** An entry alone. What it waits for goes to the edges that begin at `from`. */
function withoutWaits<T extends object>(entry: Waiting<T>, from: string, edges: AssemblyEdge[]): T {
  const alone: Partial<Waiting<T>> = { ...entry };
  for (const [type, field] of FIELDS) {
    const ends = (entry as Waits)[field] ?? [];
    edges.push(...ends.map((to) => ({ from, to, type })));
    delete alone[field];
  }
  return alone as T;
}

const FIELDS = Object.entries(FIELD_OF) as [AssemblyEdge['type'], keyof Waits][];

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return compare(a.id, b.id);
}
