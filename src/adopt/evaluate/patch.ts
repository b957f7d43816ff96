import { Step, FieldPath } from '../../core/manifest/manifest';

/** One step of a JSON patch, as the methods of cdk8s' JsonPatch name them. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** A JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
  readonly path: string;
  /** Undefined to remove the field. */
  readonly value?: unknown;
}

/** The JSON pointer of a field. */
export function pointerOf(path: FieldPath): string {
  return path.map((step: Step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}

/** The last step of a JSON pointer. */
export function lastStep(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1).replace(/~1/g, '/').replace(/~0/g, '~');
}
