import { evaluateCel, evaluateLua } from './health';
import { KindReadiness } from '../../../../src/core/kind/description/readiness';
import { kindOf } from '../../../../src/core/kind/kinds';
import { printLua } from '../../../../src/delivery/engine/argo-cd-engine';
import { printCel } from '../../../../src/delivery/engine/flux-engine';
import { describeCluster } from '../../clusters';
import { Live } from '../../doubles/live';
import { recordedStates } from '../bed/recorded-states';

const hasCondition = (object: Live, wanted: string): boolean =>
  ((object.status?.conditions ?? []) as { type: string; status: string }[]).some(
    ({ type, status }) => type === wanted && status === 'True',
  );

/** Kinds that others wait for, and when the next object can be created. */
const KINDS = [
  {
    kind: 'Cluster',
    apiVersion: 'provisioning.cattle.io/v1',
    isReady: ({ status }: Live): boolean => Boolean(status?.clusterName),
  },
  {
    kind: 'Project',
    apiVersion: 'management.cattle.io/v3',
    isReady: (object: Live): boolean => hasCondition(object, 'BackingNamespaceCreated'),
  },
  {
    kind: 'VirtualMachineImage',
    apiVersion: 'harvesterhci.io/v1beta1',
    isReady: (object: Live): boolean => hasCondition(object, 'Imported'),
  },
];

describeCluster('health on every recorded state', () => {
  const states = recordedStates();
  const statesOf = (wanted: string): typeof states =>
    states.filter(({ object: { kind } }) => kind === wanted);

  test('there are states of all of these kinds', () => {
    expect(KINDS.filter(({ kind }) => statesOf(kind).length < 3)).toEqual([]);
  });

  test.each(KINDS)(
    'Flux counts a $kind as current when the next object can be created, and at no other time',
    ({ kind, apiVersion, isReady }) => {
      const current = printCel(kindOf<KindReadiness>({ apiVersion, kind })!.health!.healthy);
      const found = evaluateCel(
        statesOf(kind).map(({ object }) => ({ expressions: { current }, object })),
      );
      const differing = statesOf(kind).filter(
        ({ object }, index) =>
          // a generation that the controller has not seen is not current for Flux, whatever the
          // expression
          (found[index].status === 'Current') !==
          (isReady(object) &&
            (object.status?.observedGeneration ?? object.metadata.generation) ===
              object.metadata.generation),
      );
      expect(differing.map(({ label }) => label)).toEqual([]);
    },
  );

  test.each(KINDS)(
    'Argo CD counts a $kind as healthy when the next object can be created, and at no other time',
    ({ kind, apiVersion, isReady }) => {
      const script = printLua(kindOf<KindReadiness>({ apiVersion, kind })!.health!);
      const found = evaluateLua(statesOf(kind).map(({ object }) => ({ script, object })));
      // what is being deleted is Progressing, whatever the script
      const differing = statesOf(kind).filter(
        ({ object }, index) =>
          (found[index].status === 'Healthy') !==
          (isReady(object) && !object.metadata.deletionTimestamp),
      );
      expect(differing.map(({ label }) => label)).toEqual([]);
      expect(found.filter(({ status }) => status === 'Unknown')).toEqual([]);
    },
  );

  test('Flux by itself counts every kind as current at once, except provisioning Clusters', () => {
    const found = evaluateCel(states.map(({ object }) => ({ object })));
    const waiting = states.filter(
      ({ object: { metadata } }, index) =>
        !metadata.deletionTimestamp && found[index].status !== 'Current',
    );
    expect([...new Set(waiting.map(({ object: { kind } }) => kind))]).toEqual(['Cluster']);
  });

  test('reports an expression that Flux refuses', () => {
    const [{ object }] = states;
    expect(evaluateCel([{ expressions: { current: 'status.(' }, object }])).toEqual([
      expect.objectContaining({ status: 'Invalid' }),
    ]);
    expect(evaluateLua([{ script: 'return {', object }])).toEqual([
      expect.objectContaining({ status: 'Unknown' }),
    ]);
  });
});
