import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { freeForm } from './free-form';
import { keepPlace, programPlaceOf } from '../construct/program-place';
import { isRecord, sameValue } from '../manifest/manifest';
import { Problem, collectProblems, failOnErrors } from '../problem/problem';

/** Values of a chart, by key. */
type Values = { readonly [key: string]: unknown };

/** A value, and the part of the program that set it. */
interface Setting {
  readonly value: unknown;
  readonly part: object;
}

/**
 * The values of a chart, which several parts of a program set: maps are merged, and what two parts
 * set must be equal. Lists are values as a whole.
 */
export class ChartValues {
  /** By path: the leaves that a part set. */
  private readonly settings = new Map<string, Setting>();
  private merged: Values | undefined;

  /**
   * @param construct whose values they are
   * @param first the values of its prop, which are in order
   * @param secretFix what to do with a secret among the values
   */
  constructor(
    private readonly construct: Construct,
    first: Values | undefined,
    private readonly secretFix?: string,
  ) {
    this.merged = first;
    if (first) {
      this.set(first, construct, []);
    }
  }

  /**
   * Adds values of another part of the program. Throws where it sets another value than an earlier
   * part.
   */
  public add(values: Values): void {
    const part = {};
    keepPlace(part);
    const { value, problems } = freeForm('values', values, this.secretFix);
    collectProblems(this.construct, problems);
    failOnErrors(this.construct, this.set(value, part, []));
    this.merged = merge(this.merged ?? {}, value);
  }

  /**
   * The values as they are written: with those that are added later.
   * @param none what is written without values
   */
  public text(print: (values: Values) => string | undefined, none?: string): string | undefined {
    return Lazy.any({ produce: () => (this.merged ? print(this.merged) : none) }) as unknown as
      string | undefined;
  }

  private set(values: Values, part: object, path: readonly string[]): Problem[] {
    return Object.entries(values).flatMap(([key, value]): Problem[] => {
      const steps = [...path, key];
      const id = JSON.stringify(steps);
      const other = this.settings.get(id);
      const isMap = isRecord(value);
      if (other && !(isMap && isRecord(other.value)) && !sameValue(other.value, value)) {
        const place = programPlaceOf(other.part);
        return [
          {
            path: `values.${steps.join('.')}`,
            message: `has another value already${place === undefined ? '' : `, set at ${place}`}`,
            fix: 'set it in one place, or to the same value',
          },
        ];
      }
      if (!other) {
        this.settings.set(id, { value: isMap ? {} : value, part });
      }
      return isMap ? this.set(value, part, steps) : [];
    });
  }
}

function merge(values: Values, more: Values): Values {
  return Object.entries(more).reduce<Values>((all, [key, value]) => {
    const before = all[key];
    return { ...all, [key]: isRecord(before) && isRecord(value) ? merge(before, value) : value };
  }, values);
}
