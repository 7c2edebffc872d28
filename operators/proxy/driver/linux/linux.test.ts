import { nginx } from "../../../../test/components/services.js";
import { describeWith } from "../../../../test/components/describe-with.js";
import { describeProxy } from "../contract.js";
import { TestProxy } from "./fixtures.js";

describeWith("the driver of a real nginx", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  describeProxy("the contract", () => TestProxy.open());
});
