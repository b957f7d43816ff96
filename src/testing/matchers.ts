import { appImpacts } from './app-impacts';
import { DeclaredOptions, PartialManifest, declared, MatcherResult } from './declared';
import { HarvesterApp } from '../core/app/harvester-app';
import { isMarkedApp } from '../core/construct/scope';
import { isRecord } from '../core/manifest/manifest';
import { FindingLevel } from '../core/rule/finding';
import { isCounted, textReport } from '../core/rule/report';
import { PLAIN, render } from '../core/text/screen';
import { lintPaths } from '../engine/read/lint';
import { mayLoseMachines } from '../report/impact/impact';
import { impactReport } from '../report/impact/print-impact';

/** Options of `toHaveNoFindings`. */
export interface FindingsOptions {
  /** Whether warnings fail, too. @default false */
  readonly warnings?: boolean;
}

/** A program, or the output folder of one. */
type Program = HarvesterApp | string;

function programOf(received: unknown, matcher: string): Program {
  if (
    typeof received === 'string' ||
    (isRecord(received) && isMarkedApp(received as unknown as HarvesterApp))
  ) {
    return received as Program;
  }
  throw new Error(
    `${matcher}: expects a HarvesterApp, or the output folder of one. Fix: use expect(app).${matcher}(…), with Testing.app() for app`,
  );
}

/** What `expect.extend(matchers)` adds to jest, vitest, and bun. */
export const matchers = {
  /**
   * Whether the rules find no errors, and with `{ warnings: true }` no warnings either. What the
   * program suppresses does not fail.
   */
  toHaveNoFindings(received: unknown, { warnings = false }: FindingsOptions = {}): MatcherResult {
    const program = programOf(received, 'toHaveNoFindings');
    const findings = (
      typeof program === 'string' ? lintPaths([program]) : program.validate()
    ).filter((finding) => isCounted(finding) && (warnings || finding.level === FindingLevel.ERROR));
    return {
      pass: findings.length === 0,
      message: () =>
        findings.length === 0
          ? `expected ${warnings ? 'findings' : 'errors'}, got none`
          : `expected no ${warnings ? 'findings' : 'errors'}, got:\n\n${textReport(findings)}`,
    };
  },

  /**
   * Whether the program has an object with these fields, e.g. `{ kind: 'Setting', metadata: { name:
   * 'ntp-servers' } }`. Values can be matchers such as `expect.anything()`.
   */
  toDeclare(
    received: unknown,
    manifest: PartialManifest,
    { target }: DeclaredOptions = {},
  ): MatcherResult {
    const app = programOf(received, 'toDeclare');
    if (typeof app === 'string') {
      throw new Error(
        'toDeclare: expects a HarvesterApp, got a folder. Fix: use expect(app).toDeclare(…)',
      );
    }
    const manifests = [...app._manifests()];
    if (target !== undefined && !manifests.some(([name]) => name === target)) {
      throw new Error(
        `toDeclare: target must be one of ${manifests.map(([name]) => name).join(', ')}, got ${target}`,
      );
    }
    return declared(
      manifests.filter(([name]) => target === undefined || name === target),
      manifest,
      target,
    );
  },

  /**
   * Whether the program replaces and deletes no machines, and nothing else with data or tenants, if
   * it follows the output in a folder.
   */
  toReplaceNoMachines(received: unknown, before: string): MatcherResult {
    const { impacts, scrub } = appImpacts(programOf(received, 'toReplaceNoMachines'), before);
    const losses = impacts.filter(mayLoseMachines);
    return {
      pass: losses.length === 0,
      message: () =>
        losses.length === 0
          ? `expected machines of ${before} to be replaced or deleted, and none is`
          : `expected no machine of ${before} to be replaced or deleted:\n\n${scrub(render(impactReport(losses, 'text'), PLAIN))}`,
    };
  },
};

/** The matchers as `expect(app)` has them. */
export interface HarvesterMatchers<R = void> {
  /**
   * Expects that the rules find no errors, and with `{ warnings: true }` no warnings either. What
   * the program suppresses does not fail.
   */
  toHaveNoFindings(options?: FindingsOptions): R;
  /** Expects an object with these fields. Values can be matchers such as `expect.anything()`. */
  toDeclare(manifest: PartialManifest, options?: DeclaredOptions): R;
  /**
   * Expects that the program replaces and deletes no machines, and nothing else with data or
   * tenants, if it follows the output in this folder.
   */
  toReplaceNoMachines(before: string): R;
}

declare global {
  // of jest, and of vitest, whose matchers include those of jest
  namespace jest {
    interface Matchers<R, T = {}> extends HarvesterMatchers<R> {}
  }
}
