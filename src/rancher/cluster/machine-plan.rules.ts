import { BOOL, GoType, INT, STRING, map, slice, goStruct, unmarshal } from '../../core/go/go-json';
import { isLate } from '../../core/late/late-token';
import { rules } from '../../core/rule/kit/fact';
import { errorIf } from '../../core/rule/kit/relations';
import { secretEntry } from '../../core/secret/definition';
import { hasFeature } from '../../core/version/target-features';
import { RancherGate } from '../version/rancher-version';

/** The type of the Secret with the plan of a machine. */
const TYPE_MACHINE_PLAN = 'rke.cattle.io/machine-plan';

const INSTRUCTION = {
  name: STRING,
  image: STRING,
  env: slice(STRING),
  args: slice(STRING),
  command: STRING,
} as const;

/** A plan as Rancher reads it. @see rancher/rancher:pkg/plan/types.go, probe.go */
const PLAN: GoType = goStruct({
  files: slice(
    goStruct({
      content: STRING,
      directory: BOOL,
      uid: INT,
      gid: INT,
      path: STRING,
      permissions: STRING,
      action: STRING,
      dynamic: BOOL,
      minor: BOOL,
    }),
  ),
  instructions: slice(goStruct({ ...INSTRUCTION, saveOutput: BOOL })),
  periodicInstructions: slice(
    goStruct({ ...INSTRUCTION, periodSeconds: INT, saveStderrOutput: BOOL }),
  ),
  probes: map(
    goStruct({
      name: STRING,
      initialDelaySeconds: INT,
      timeoutSeconds: INT,
      successThreshold: INT,
      failureThreshold: INT,
      httpGet: goStruct({
        url: STRING,
        insecure: BOOL,
        clientCert: STRING,
        clientKey: STRING,
        caCert: STRING,
      }),
    }),
  ),
});

/** Rules for the plans of machines. */
export const MACHINE_PLAN_RULES = rules({ kinds: ['/Secret'] }, [
  {
    id: 'machine-plan/json',
    fields: ['type'],
    on: 'rancher',
    when: ({ manifest }) => manifest.type === TYPE_MACHINE_PLAN,
    what: 'the plan in a Secret of a machine plan is JSON; before Rancher 2.15 any text is accepted, and the machine cannot read it',
    source:
      'rancher/webhook:pkg/resources/core/v1/secret/plan_admitter.go (0.11); rancher/rancher:pkg/plan/plan.go Parse',
    judge: ({ manifest, target }) => {
      const plan = secretEntry(manifest, 'plan', isLate);
      // another rule reports what is not base64
      if (plan?.text === undefined || isLate(plan.text)) {
        return undefined;
      }
      const result = unmarshal(plan.text, PLAN);
      if (!('faults' in result)) {
        return undefined;
      }
      const isRefused = hasFeature(target, RancherGate.MACHINE_PLAN_CHECKED);
      const fault = result.faults[0]!;
      return {
        path: plan.path,
        level: errorIf(isRefused),
        message: fault.path ? `must be a plan: ${fault.path} ${fault.message}` : 'must be JSON',
        fix: 'leave the plan to Rancher, which writes it, or set it to a JSON object',
        ...(isRefused === false ? {} : { says: 'invalid plan: failed to parse plan' }),
      };
    },
  },
]);
