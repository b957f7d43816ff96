import { Health, evaluateCel, evaluateLua } from './health';
import { KindReadiness } from '../../../../src/core/kind/description/readiness';
import { kindOf } from '../../../../src/core/kind/kinds';
import { printLua } from '../../../../src/delivery/engine/argo-cd-engine';
import { printCel } from '../../../../src/delivery/engine/flux-engine';
import { holds } from '../../../support/health-expression';
import { describeCluster } from '../../clusters';
import { RecordedState, recordedStates } from '../bed/recorded-states';

const isDeleted = ({ object }: RecordedState): boolean =>
  object.metadata.deletionTimestamp !== undefined;

/** Flux does not look at the expression while the controller has not seen the generation. */
const isObserved = ({ object: { metadata, status } }: RecordedState): boolean =>
  typeof status?.observedGeneration !== 'number' ||
  status.observedGeneration === metadata.generation;

describeCluster('printed health, judged by the engines on every recorded state', () => {
  // what is being deleted is Progressing for Argo CD, whatever the script
  const states = recordedStates().filter(
    (state) => !isDeleted(state) && kindOf<KindReadiness>(state.object)?.health !== undefined,
  );
  const ruleOf = ({
    object,
  }: RecordedState): NonNullable<NonNullable<ReturnType<typeof kindOf>>['health']> =>
    kindOf<KindReadiness>(object)!.health!;

  /**
   * Labels of the states in which an engine has another verdict than the description of the kind.
   */
  function differing(
    found: readonly Health[],
    [healthy, failed, waiting]: readonly string[],
    isSeen: (state: RecordedState) => boolean,
  ): string[] {
    return states.flatMap((state, index) => {
      const rule = ruleOf(state);
      const isFailed = rule.failed !== undefined && holds(rule.failed, state.object);
      const unlessFailed = holds(rule.healthy, state.object) ? healthy : waiting;
      const ifSeen = isFailed ? failed : unlessFailed;
      const expected = isSeen(state) ? ifSeen : waiting;
      const { status, message } = found[index];
      return status === expected
        ? []
        : [`${state.label}: expected ${expected}, got ${status} ${message}`];
    });
  }

  test('there are recorded states of several kinds', () => {
    expect(new Set(states.map(({ object: { kind } }) => kind)).size).toBeGreaterThan(3);
  });

  test('Argo CD has the verdict of the description', () => {
    const found = evaluateLua(
      states.map((state) => ({ script: printLua(ruleOf(state)), object: state.object })),
    );
    expect(differing(found, ['Healthy', 'Degraded', 'Progressing'], () => true)).toEqual([]);
  });

  test('Flux has the verdict of the description', () => {
    const found = evaluateCel(
      states.map((state) => {
        const { healthy, failed } = ruleOf(state);
        return {
          expressions: { current: printCel(healthy), ...(failed && { failed: printCel(failed) }) },
          object: state.object,
        };
      }),
    );
    // Flux waits for an object whose status it does not know, too; an expression that names the
    // status has no other result without one
    const read = found.map(({ status, message }, index) => ({
      status: status === 'Unknown' && !states[index].object.status ? 'InProgress' : status,
      message,
    }));
    expect(differing(read, ['Current', 'Failed', 'InProgress'], isObserved)).toEqual([]);
  });
});
