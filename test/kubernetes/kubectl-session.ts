import type { Kubectl } from "../components/index.js";
import { KubectlRunner } from "../server/kubectl-runner.js";
import { Comparables } from "./comparable.js";

function deployment(replicas: number, image: string): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "${image}", ports: [{ containerPort: 80 }] }] }
`;
}

function widget(color: string, more = ""): string {
  return `
apiVersion: demo.dev/v1
kind: Widget
metadata: { name: lamp }
spec: { color: ${color}${more} }
`;
}

/** Commands in order; `-f -` reads the given text. */
const commands: readonly (readonly [line: string, input?: string])[] = [
  ["create namespace kubectl"],
  ["apply -f -", deployment(1, "web:1")],
  ["apply -f -", deployment(1, "web:1")],
  ["apply -f -", deployment(2, "web:2")],
  // Migration from client-side to server-side apply.
  ["apply --server-side -f -", deployment(2, "web:2")],
  ["apply --server-side -f -", deployment(3, "web:3")],
  ["apply --server-side --field-manager other -f -", deployment(4, "web:4")],
  ["apply --server-side --field-manager other --force-conflicts -f -", deployment(4, "web:4")],
  ["scale deployment web --replicas 5"],
  ["apply --server-side -f -", deployment(4, "web:4")],
  ["label deployment web tier=front"],
  ["annotate deployment web note=x"],
  ["set image deployment web web=web:5"],
  ['patch deployment web -p {"spec":{"paused":true}}'],
  ["apply -f -", widget("red", ", ports: [{ name: a, port: 1 }]")],
  ["apply -f -", widget("green", ", ports: [{ name: b, port: 2 }]")],
  ["apply --server-side -f -", widget("green", ", ports: [{ name: b, port: 3 }]")],
  ["apply -f -", widget("pink")],
  ["create configmap settings --from-literal=a=b"],
  ["create configmap settings --from-literal=a=b"],
  ["get configmap none"],
  ["get deployments,widgets -o name"],
  ["auth can-i get pods"],
  ["auth can-i get /metrics"],
  ["explain widget"],
  ["explain widget.spec"],
  ["explain widget.spec.ports.port"],
  ["explain widget --recursive"],
  ["explain widget.nonsense"],
  ["explain gadget"],
  ["explain widgets --api-version demo.dev/v1beta1"],
  ["create service clusterip backend --tcp 80:8080"],
  ["expose deployment web --port 80 --type NodePort"],
  ["get services -o name"],
  ["autoscale deployment web --min 1 --max 3 --cpu-percent 50"],
  ["get hpa -o name"],
  ["get horizontalpodautoscalers.v1.autoscaling web -o jsonpath={.spec.targetCPUUtilizationPercentage}"],
  ["delete configmap settings"],
];

/** Output of kubectl during a session, and the remaining objects. */
export async function kubectlSession(tool: Kubectl, kubeconfig: string): Promise<unknown> {
  const runner = new KubectlRunner(tool, kubeconfig);
  const comparables = new Comparables();
  const show = (text: string): unknown => comparables.of({ code: 200, headers: {}, text }).body;
  try {
    const printed: Record<string, unknown> = {};
    for (const [index, [line, input]] of commands.entries()) {
      const args = [...line.split(" "), "--namespace", "kubectl"];
      const { code, out, err } = await runner.attempt(args, { input: input ?? "" });
      printed[`${index} ${line}`] = { code, out: show(out), err: show(err) };
    }
    const left: unknown[] = [];
    for (const object of ["deployment/web", "widget/lamp"]) {
      left.push(
        show(await runner.run(["get", object, "-o", "json", "--show-managed-fields", "-n", "kubectl"])),
      );
    }
    return { printed, left };
  } finally {
    runner.dispose();
  }
}
