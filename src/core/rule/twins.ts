import { JudgedObject } from './rule';
import { Manifest } from '../manifest/manifest';

/**
 * Objects with the same content, of which one is enough: the first one is accepted, unless one is live already.
 *
 * Keeps two of them, so that many remain linear.
 */
export class Twins {
  private first?: JudgedObject;
  private live?: JudgedObject;

  public add(object: JudgedObject, judged: boolean): void {
    if (judged) { this.first ??= object; } else { this.live ??= object; }
  }

  /** The object that has the identity already: the live one, or the first one of the program. */
  public of(object: JudgedObject): JudgedObject | undefined {
    return [this.live, this.first].find((other) => other && other !== object && !isSame(other.manifest, object.manifest));
  }
}

function isSame(a: Manifest, b: Manifest): boolean {
  return a.metadata.name !== '' && a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;
}
