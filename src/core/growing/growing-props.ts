import { IConstruct } from 'constructs';
import { requireOpen } from './synthesized';
import { failOnErrors } from '../problem/problem';

/** A manifest, whose metadata the construct completes. */
type Fields = { readonly [field: string]: unknown };

/** The props of type P whose values are lists. */
type Lists<P> = {
  [K in keyof P]-?: Exclude<P[K], undefined> extends readonly unknown[] ? K : never;
}[keyof P];

type ItemOf<L> = Exclude<L, undefined> extends readonly (infer I)[] ? I : never;

/** Fields that are never late: who the object is. */
const IDENTITY: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/**
 * The props of a construct whose lists other parts of the program add to, until synthesis.
 *
 * Each addition is checked together with all that was there before, as if the constructor had got
 * it; a refused one changes nothing.
 */
export class GrowingProps<P extends object> {
  private manifest: Fields;

  /** @param make checks props, throws what is wrong with them, and returns the manifest */
  constructor(
    private readonly construct: IConstruct,
    private props: P,
    private readonly make: (props: P) => Fields,
  ) {
    this.manifest = make(props);
  }

  /** The props with all additions. */
  public get current(): P {
    return this.props;
  }

  /** The manifest as it is now, which is complete, for checks of its values. */
  public get written(): Fields {
    return this.manifest;
  }

  /** The values of the fields at synthesis. */
  public fields(): { readonly [field: string]: () => unknown } {
    return Object.fromEntries(
      Object.keys(this.manifest)
        .filter((field) => !IDENTITY.includes(field))
        .map((field) => [field, () => this.manifest[field]]),
    );
  }

  /**
   * Adds an item to a list.
   *
   * @param method that the program calls
   */
  public add<K extends Lists<P>>(method: string, prop: K, item: ItemOf<P[K]>): void {
    const list = (this.props[prop] ?? []) as readonly unknown[];
    this.change(method, { ...this.props, [prop]: [...list, item] });
  }

  /** Replaces the props. */
  public change(method: string, props: P): void {
    requireOpen(this.construct, method);
    const manifest = this.make(props);
    failOnErrors(this.construct);
    this.manifest = manifest;
    this.props = props;
  }
}
