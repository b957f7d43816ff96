import { evaluateCel, evaluateLua } from './health';
import { describeCluster } from '../../clusters';
import { Live } from '../../doubles/live';
import { documentedHealthChecks } from '../bed/documented-health-checks';
import { recordedStates } from '../bed/recorded-states';

const hasCondition = (object: Live, wanted: string): boolean => (
  ((object.status?.conditions ?? []) as { type: string; status: string }[]).some(({ type, status }) => type === wanted && status === 'True'));

/** Kinds that others wait for: how Flux is asked, and when the next object can be created. */
const KINDS = [
  {
    kind: 'Cluster',
    current: "has(status.clusterName) && status.clusterName != ''",
    isReady: ({ status }: Live): boolean => Boolean(status?.clusterName),
  },
  {
    kind: 'Project',
    current: "has(status.conditions) && status.conditions.exists(c, c.type == 'BackingNamespaceCreated' && c.status == 'True')",
    isReady: (object: Live): boolean => hasCondition(object, 'BackingNamespaceCreated'),
  },
  {
    kind: 'VirtualMachineImage',
    current: "status.conditions.exists(c, c.type == 'Imported' && c.status == 'True')",
    isReady: (object: Live): boolean => hasCondition(object, 'Imported'),
  },
];

/** The Lua scripts of the documentation, by kind. */
const documentedScripts = (): Map<string, string> => new Map(Object.entries(documentedHealthChecks()).map(([key, script]) => [key.split('_').at(-1)!, script]));

describeCluster('health on every recorded state', () => {
  const states = recordedStates();
  const statesOf = (wanted: string): typeof states => states.filter(({ object: { kind } }) => kind === wanted);

  test('there are states of all of these kinds', () => {
    expect(KINDS.filter(({ kind }) => statesOf(kind).length < 3)).toEqual([]);
  });

  test.each(KINDS)('Flux counts a $kind as current when the next object can be created, and at no other time', ({ kind, current, isReady }) => {
    const found = evaluateCel(statesOf(kind).map(({ object }) => ({ expressions: { current }, object })));
    const differing = statesOf(kind).filter(({ object }, index) => (
      // a generation that the controller has not seen is not current for Flux, whatever the expression
      (found[index].status === 'Current') !== (isReady(object) && (object.status?.observedGeneration ?? object.metadata.generation) === object.metadata.generation)));
    expect(differing.map(({ label }) => label)).toEqual([]);
  });

  test.each(KINDS)('Argo CD counts a $kind as healthy when the next object can be created, and at no other time', ({ kind, isReady }) => {
    const found = evaluateLua(statesOf(kind).map(({ object }) => ({ script: documentedScripts().get(kind), object })));
    // what is being deleted is Progressing, whatever the script
    const differing = statesOf(kind).filter(({ object }, index) => (found[index].status === 'Healthy') !== (isReady(object) && !object.metadata.deletionTimestamp));
    expect(differing.map(({ label }) => label)).toEqual([]);
    expect(found.filter(({ status }) => status === 'Unknown')).toEqual([]);
  });

  test('Argo CD can run all scripts of the documentation on every state', () => {
    const scripts = documentedScripts();
    const cases = states.filter(({ object: { kind } }) => scripts.has(kind));
    const found = evaluateLua(cases.map(({ object }) => ({ script: scripts.get(object.kind), object })));
    expect(found.filter(({ status }) => !['Healthy', 'Progressing', 'Degraded'].includes(status))).toEqual([]);
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['Healthy', 'Progressing', 'Degraded']));
  });

  test('Flux by itself counts every kind as current at once, except provisioning Clusters', () => {
    const found = evaluateCel(states.map(({ object }) => ({ object })));
    const waiting = states.filter(({ object: { metadata } }, index) => !metadata.deletionTimestamp && found[index].status !== 'Current');
    expect([...new Set(waiting.map(({ object: { kind } }) => kind))]).toEqual(['Cluster']);
  });

  test('reports an expression that Flux refuses', () => {
    const [{ object }] = states;
    expect(evaluateCel([{ expressions: { current: 'status.(' }, object }])).toEqual([expect.objectContaining({ status: 'Invalid' })]);
    expect(evaluateLua([{ script: 'return {', object }])).toEqual([expect.objectContaining({ status: 'Unknown' })]);
  });
});
