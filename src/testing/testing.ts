import { appImpacts, testFolder } from './app-impacts';
import { HarvesterApp, HarvesterAppProps } from '../core/app/harvester-app';
import { markTestApp } from '../core/construct/scope';
import { expectTests } from '../core/value/secret-value';
import {
  Cause,
  Impact as ReportedImpact,
  causeText,
  mayLoseMachines,
} from '../report/impact/impact';

/** What an edit does to a machine, or to another object with data or tenants. */
export enum ImpactEffect {
  /** It is deleted. */
  DELETE = 'delete',
  /** It is replaced by another one. */
  REPLACE = 'replace',
  /** The manifests do not show whether the machine is replaced or deleted. */
  UNKNOWN = 'unknown',
  /** The server refuses the edit. */
  REFUSE = 'refuse',
  /**
   * A quota has no room for the machines that its update creates first, so that the update cannot
   * proceed.
   */
  STUCK = 'stuck',
  /** It is restarted in place. */
  RESTART = 'restart',
  /** It is no longer declared, and kept. */
  KEPT = 'kept',
  /** It is created. */
  CREATE = 'create',
  /** It is left alone. */
  NONE = 'none',
}

/** A change in the manifests that leads to an impact. */
export interface ImpactCause {
  /** The object, e.g. `HarvesterConfig fleet-default/shop`. */
  readonly object: string;
  /** The field, e.g. `memorySize`; empty where it is about the whole object. */
  readonly path: string;
  /** The previous value, shortened. @default - there was none, or it may be a secret */
  readonly before?: string;
  /** The new value, shortened. @default - there is none, or it may be a secret */
  readonly after?: string;
  /** The whole cause, e.g. `HarvesterConfig fleet-default/shop memorySize: "8" -> "16"`. */
  readonly text: string;
}

/** One consequence of an edit. */
export interface Impact {
  /** What happens to the machines or to the object. */
  readonly effect: ImpactEffect;
  /**
   * Whether machines, data, or tenants are lost, or may be lost, or the edit cannot be carried out,
   * and the program does not accept it.
   */
  readonly isLoss: boolean;
  /** The object: namespace and name of a guest cluster, otherwise also the kind. */
  readonly object: string;
  /** Name of the target. */
  readonly target: string;
  /** The output folder, below the given one. @default - there is one alone */
  readonly environment?: string;
  /** The path of the construct. @default - no program wrote the manifests */
  readonly construct?: string;
  /** The machine pool. @default - it concerns the whole object */
  readonly pool?: string;
  /** How many machines. @default - unknown, e.g. since an autoscaler decides */
  readonly machines?: number;
  /** What happens, without a subject. */
  readonly what: string;
  /** The changes in the manifests that lead to it. */
  readonly causes: ImpactCause[];
  /** What may be lost besides. */
  readonly risks: string[];
  /** The reason for which the program accepts it. @default - it is not accepted */
  readonly accepted?: string;
}

/**
 * What tests of a program need, in every language. The entry `cdk8s-harvester/testing` has matchers
 * for jest and vitest.
 *
 * @example
 * const tested = HarvesterTesting.app();
 * const berlin = new HarvesterChart(tested, 'berlin', { version: '1.7.2', vip: '10.10.0.20' });
 * HarvesterSetting.ntpServers(berlin, 'ntp', ['0.pool.ntp.org']);
 *
 * const errors = tested.validate().filter(({ level }) => level === 'error');
 * const [setting] = HarvesterTesting.manifests(tested).berlin;
 */
export class HarvesterTesting {
  /**
   * A program for a test. It writes to a temporary folder, which is removed after the process ends,
   * and prints no warnings. Placeholders replace all secrets of `SecretValue.fromEnv` and
   * `SecretValue.fromFile`, so that a test needs none of them and no snapshot contains one.
   *
   * Programs for other purposes in the same process keep their secrets.
   */
  public static app(props: HarvesterAppProps = {}): HarvesterApp {
    expectTests();
    const app = new HarvesterApp({
      printWarnings: false,
      ...props,
      outdir: props.outdir ?? testFolder(),
    });
    markTestApp(app);
    return app;
  }

  /**
   * The manifests of a program by the name of the target, each list in the order of an apply. Fails
   * if a finding is an error.
   *
   * Manifests that wait for a late value contain a placeholder of it, `${late:…}`.
   */
  public static manifests(app: HarvesterApp): { [target: string]: any[] } {
    return JSON.parse(JSON.stringify(Object.fromEntries(app._manifests())));
  }

  /**
   * What the program does to machines, data, and tenants if it follows a previous output, as the
   * command `impact` reports it. No cluster is read.
   *
   * Placeholders count as the secrets of the previous output.
   *
   * @param before folder of the previous output, with its `assembly.json`
   */
  public static impact(app: HarvesterApp, before: string): Impact[] {
    const { impacts, scrub } = appImpacts(app, before);
    return impacts.map((impact) => publicImpact(impact, scrub));
  }

  private constructor() {}
}

/** An impact as programs get it. Its texts are without secrets. */
export function publicImpact(impact: ReportedImpact, scrub: (text: string) => string): Impact {
  const { effect, object, cluster, target, what, causes, risks } = impact;
  const { environment, construct, pool, machines, accepted } = impact;
  return {
    effect: effect as ImpactEffect,
    isLoss: mayLoseMachines(impact),
    object: object ?? cluster,
    target,
    ...(environment === undefined ? {} : { environment }),
    ...(construct === undefined ? {} : { construct }),
    ...(pool === undefined ? {} : { pool }),
    ...(machines === undefined ? {} : { machines }),
    what: scrub(what),
    causes: causes.map((cause) => publicCause(cause, scrub)),
    risks: risks.map(scrub),
    ...(accepted === undefined ? {} : { accepted }),
  };
}

function publicCause(cause: Cause, scrub: (text: string) => string): ImpactCause {
  const { object, path, before, after } = cause;
  return {
    object,
    path,
    ...(before === undefined ? {} : { before: scrub(before) }),
    ...(after === undefined ? {} : { after: scrub(after) }),
    text: scrub(causeText(cause)),
  };
}
