import { existsSync } from 'fs';
import { dirname, join } from 'path';
import { isManifest } from '../manifest/manifest';
import { ASSEMBLY_FILE, Assembly } from '../output/assembly';
import { readRegularText } from '../output/regular-file';
import { oneLine } from '../problem/problem';
import { Finding } from '../rule/finding';
import { judgedTarget } from '../rule/judge';
import { judgeAll } from '../rule/judge-all';
import { where } from '../rule/report';
import { JudgedObject, JudgedTarget } from '../rule/rule';

/** An object and whether a HarvesterApp has judged it. */
interface Located extends JudgedObject {
  readonly judgedBefore: boolean;
}

/** What of cdk8s-cli's ValidationContext is used. */
interface Context {
  readonly manifests: readonly string[];
  readonly logger: { log(message: string): void };
  readonly report: {
    addViolation(violation: unknown): void;
    submit(status: 'success' | 'failure', metadata?: { [key: string]: string }): void;
  };
  parseManifest(path: string): unknown[];
}

/**
 * Options of the plugin: `properties` in cdk8s.yaml. For manifests next to an `assembly.json`, the
 * assembly contains them.
 */
export interface HarvesterValidationProps {
  /**
   * The product on the cluster of the manifests: `rancher`, `harvester`, or `guest`.
   * @default - rules that depend on the target do not run
   */
  readonly target?: string;
  /** Rancher version, e.g. `2.13.8`. @default - only rules that hold for every version run */
  readonly rancherVersion?: string;
  /** Harvester version, e.g. `1.7.2`. @default - only rules that hold for every version run */
  readonly harvesterVersion?: string;
  /**
   * Kubernetes version, e.g. `v1.33.6+rke2r1`.
   * @default - only rules that hold for every version run
   */
  readonly kubernetesVersion?: string;
}

/**
 * The rules as a validation plugin of cdk8s-cli, for programs in any language and without
 * HarvesterApp.
 *
 * In cdk8s.yaml: `validations: [{package: cdk8s-harvester, version: <exact>, class:
 * HarvesterValidation, properties: {target: rancher}}]`. Errors fail `cdk8s synth`, warnings are
 * logged.
 *
 * @see https://cdk8s.io/docs/latest/cli/synth/#validations
 */
export class HarvesterValidation {
  private readonly plain: JudgedTarget;

  constructor(props: HarvesterValidationProps = {}) {
    const { target, rancherVersion, harvesterVersion, kubernetesVersion } = props;
    if (
      target !== undefined &&
      target !== 'rancher' &&
      target !== 'harvester' &&
      target !== 'guest'
    ) {
      throw new Error(
        `HarvesterValidation: target: must be rancher, harvester, or guest, got ${JSON.stringify(target)}`,
      );
    }
    this.plain = {
      name: target ?? 'input',
      kind: target,
      rancherVersion,
      harvesterVersion,
      kubernetesVersion,
    };
  }

  /**
   * Judges all manifests of a synthesis together. Called by cdk8s-cli.
   *
   * @param context a ValidationContext of cdk8s-cli
   */
  public async validate(context: any): Promise<void> {
    const { manifests, logger, report } = context as Context;
    const assemblies = new Map<string, readonly JudgedTarget[]>();
    const objects = manifests.flatMap((file) =>
      (context as Context)
        .parseManifest(file)
        .filter(isManifest)
        .map((manifest): Located => {
          const target = targetOf(file, assemblies);
          return {
            manifest,
            file,
            target: target ?? this.plain,
            judgedBefore: target !== undefined,
          };
        }),
    );
    // a HarvesterApp has judged what it wrote, with the suppressions of its program
    const fresh = objects.filter(({ judgedBefore }) => !judgedBefore);
    const findings = judgeAll(
      fresh,
      objects.filter(({ judgedBefore }) => judgedBefore),
    );
    const errors = findings.filter(({ level }) => level === 'error');
    for (const finding of errors) {
      report.addViolation(violation(finding));
    }
    for (const finding of findings.filter(({ level }) => level === 'warning')) {
      logger.log(`warning ${finding.rule} ${where(finding)}: ${oneLine(finding)}`);
    }
    report.submit(errors.length > 0 ? 'failure' : 'success', {
      objects: String(objects.length),
      warnings: String(findings.length - errors.length),
    });
  }
}

function violation({ rule, message, fix, object, path, file }: Finding): unknown {
  return {
    ruleName: rule,
    recommendation: message,
    fix,
    violatingResources: [
      { resourceName: object?.name ?? '', locations: [path], manifestPath: file ?? '' },
    ],
  };
}

// <output>/<target>/<file>: the assembly of the output contains the target of the folder
function targetOf(
  file: string,
  assemblies: Map<string, readonly JudgedTarget[]>,
): JudgedTarget | undefined {
  const folder = dirname(file);
  const output = dirname(folder);
  if (!assemblies.has(output)) {
    assemblies.set(output, targetsOf(join(output, ASSEMBLY_FILE)));
  }
  return assemblies.get(output)!.find(({ name }) => join(output, name) === folder);
}

function targetsOf(assembly: string): JudgedTarget[] {
  if (!existsSync(assembly)) {
    return [];
  }
  return (JSON.parse(readRegularText(assembly)) as Assembly).targets.map(
    ({ name, kind, version }) => judgedTarget(name, kind, version),
  );
}
