import { allRecordings } from '../../../support/recordings';
import { Live } from '../../doubles/live';

/** An object as a running server had it at some time. */
export interface RecordedState {
  /** `<recording> <object> <number>`. */
  readonly label: string;
  readonly object: Live;
}

/** Every state of every recorded object, from its creation to the end of its deletion. */
export function recordedStates(): RecordedState[] {
  return allRecordings().flatMap(({ title, objects }) =>
    objects.flatMap(({ object, applied: { apiVersion, kind }, states, afterDelete = [] }) =>
      [...states, ...afterDelete]
        .filter((state) => !('_gone' in state.object))
        .map((state, index) => ({
          label: `${title} ${object} ${index}`,
          object: { ...state.object, apiVersion, kind } as unknown as Live,
        })),
    ),
  );
}
