import { Live } from '../../doubles/live';
import { readRecording, recordingsOf } from '../../replay/recording';

/** An object as a running server had it at some time. */
export interface RecordedState {
  /** `<recording> <object> <number>`. */
  readonly label: string;
  readonly object: Live;
}

/** Every state of every recorded object, from its creation to the end of its deletion. */
export function recordedStates(): RecordedState[] {
  return [...recordingsOf('rancher'), ...recordingsOf('harvester')].flatMap((name) => readRecording(name).objects.flatMap(({ object, applied: { apiVersion, kind }, states, afterDelete = [] }) => (
    [...states, ...afterDelete].filter((state) => !('_gone' in state.object))
      .map((state, index) => ({ label: `${name} ${object} ${index}`, object: { ...state.object, apiVersion, kind } })))));
}
