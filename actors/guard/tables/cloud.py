"""Cloud providers' and infrastructure command lines. Listing runs; changing, and showing secrets, asks."""

ROWS = """
aws             | menu | shared --profile: --region: --output: --query: --endpoint-url!outward
    --no-cli-pager --cli-read-timeout: --cli-connect-timeout: --color: --debug --no-paginate
    --no-sign-request --ca-bundle< --version
aws configure   | menu
aws configure list, aws configure list-profiles | run
aws configure get | ask secret
aws s3          | menu
aws s3 ls       | run
aws s3 cp, aws s3 mv, aws s3 sync, aws s3 presign, aws s3 website, aws s3 mb | ask outward
aws s3 rm, aws s3 rb | ask deletes
aws help, aws * help, aws * * help | run
aws sts, aws iam, aws ec2, aws ecs, aws eks, aws ecr, aws rds, aws lambda, aws logs, aws cloudformation, aws
    cloudwatch, aws route53, aws s3api, aws dynamodb, aws sns, aws sqs, aws kms, aws acm, aws elbv2, aws
    elb, aws autoscaling, aws apigateway, aws apigatewayv2, aws events, aws stepfunctions, aws athena, aws
    glue, aws emr, aws batch, aws codebuild, aws codepipeline, aws cloudfront, aws cloudtrail, aws
    organizations, aws ssm, aws secretsmanager, aws elasticache, aws opensearch, aws kinesis, aws firehose,
    aws efs, aws backup, aws budgets, aws ce, aws pricing, aws support, aws sagemaker, aws bedrock, aws
    cognito-idp, aws configservice, aws guardduty, aws inspector2, aws wafv2, aws redshift, aws msk, aws
    kafka, aws mq, aws servicediscovery, aws tag, aws resourcegroupstaggingapi | menu
aws sts get-caller-identity, aws logs tail, aws logs filter-log-events, aws logs get-log-events | run
aws * describe-*, aws * list-* | run | --cli-input-json< --cli-input-yaml<
aws secretsmanager get-secret-value, aws ssm get-parameter, aws ssm get-parameters, aws ssm
    get-parameters-by-path, aws sts get-session-token, aws sts assume-role, aws ecr get-login-password, aws
    sts get-federation-token | ask secret
aws * delete-*, aws * terminate-*, aws * deregister-* | ask deletes

gcloud          | menu | shared --project: --format: --filter: --quiet -q --account!privilege
    --impersonate-service-account!privilege --configuration: --verbosity: --flags-file!flag
    --access-token-file!secret
gcloud info, gcloud version, gcloud help, gcloud topic | run
gcloud config, gcloud auth, gcloud projects, gcloud compute, gcloud container, gcloud run, gcloud functions,
    gcloud sql, gcloud iam, gcloud logging, gcloud services, gcloud secrets, gcloud dns, gcloud pubsub,
    gcloud storage, gcloud app, gcloud artifacts, gcloud builds, gcloud components, gcloud kms, gcloud redis
    | menu
gcloud config list, gcloud config get-value, gcloud config get, gcloud auth list, gcloud projects list,
    gcloud projects describe, gcloud logging read, gcloud services list, gcloud secrets list, gcloud
    components list, gcloud storage ls, gcloud functions list, gcloud functions describe, gcloud app
    describe, gcloud builds list, gcloud app versions | run | --project: --format: --filter: --limit:
gcloud compute *, gcloud container *, gcloud run services, gcloud run jobs, gcloud run revisions, gcloud sql
    *, gcloud iam *, gcloud dns *, gcloud pubsub *, gcloud artifacts *, gcloud kms *, gcloud redis * | menu
gcloud compute * list, gcloud compute * describe, gcloud container * list, gcloud container * describe,
    gcloud run * list, gcloud run * describe, gcloud sql * list, gcloud sql * describe, gcloud iam * list,
    gcloud iam * describe, gcloud dns * list, gcloud dns * describe, gcloud pubsub * list, gcloud pubsub *
    describe, gcloud artifacts * list, gcloud artifacts * describe, gcloud kms * list, gcloud redis * list |
    run | --project: --format: --filter: --limit: --region: --zone:
gsutil          | menu
gsutil ls, gsutil du, gsutil stat, gsutil version | run
bq              | menu
bq ls, bq show, bq version | run

az              | menu | --subscription: -o: --output: --query: --verbose --debug --only-show-errors
az version, az find | run
az account, az group, az vm, az aks, az acr, az webapp, az storage, az network, az ad, az keyvault, az
    resource, az monitor, az sql, az functionapp, az role, az az extension, az cosmosdb, az container, az
    containerapp, az devops, az pipelines, az repos | menu
az account show, az account list, az account list-locations, az group list, az group show, az group exists |
    run
az * list, az * show | run | --subscription: -o: --query: -g: -n: --resource-group: --name:
az network *, az storage *, az ad *, az role *, az monitor *, az sql *, az keyvault * | menu
az network * list, az network * show, az storage account list, az storage account show, az ad user list, az
    ad user show, az ad sp list, az role assignment list, az role definition list, az sql server list, az
    sql db list, az keyvault secret list, az monitor metrics list | run

tofu, terragrunt | as terraform
terraform       | menu | -chdir% long
terraform version, terraform validate, terraform providers, terraform graph, terraform help, terraform
    get-version | run | long -chdir%
terraform show, terraform output | run
terraform fmt   | writes
terraform state, terraform workspace | menu
terraform state list, terraform state show, terraform workspace list, terraform workspace show | run
terraform init, terraform plan, terraform apply, terraform import, terraform taint, terraform untaint,
    terraform refresh, terraform console, terraform test, terraform login, terraform get, terraform
    force-unlock, terraform state mv, terraform state rm, terraform state push, terraform state pull,
    terraform workspace new, terraform workspace select, terraform workspace delete | ask cloud | | main.tf
terraform destroy | ask deletes | | main.tf
vercel, now, surge, netlify, ansible-inventory, ansible-lint, ansible-console, mc, sam, salt, salt-call,
    puppet, gh-pages | sub
pulumi, serverless, sls, cdk, cdktf, ansible, ansible-playbook, ansible-galaxy, ansible-vault, packer,
    nomad, consul, vault, boundary, waypoint, chef, knife, cf, fly, flyctl, heroku, firebase, wrangler,
    railway, render, doctl, linode-cli, hcloud, oci, ibmcloud, aliyun, supabase, amplify, eb, copilot,
    sentry-cli, stripe, twilio, okta, rclone, s3cmd, restic, borg, duplicity | menu
ansible-doc     | run | -M!runs_code --module-path!runs_code --playbook-dir!runs_code
pulumi stack, hcloud server, hcloud image, hcloud volume, hcloud network, vault secrets, vault auth, vault
    policy | menu
pulumi stack ls, pulumi stack output, hcloud * list, hcloud * describe, vault status, vault version, vault
    secrets list, vault auth list, vault policy list, vault policy read, flyctl version, flyctl logs, pulumi
    version, pulumi whoami, cdk version, fly status, fly version, fly logs, flyctl status, heroku apps,
    heroku logs, heroku ps, heroku releases, heroku status, heroku version, vercel ls, vercel list, vercel
    whoami, netlify status, firebase projects:list, wrangler whoami, doctl version, nomad status, nomad
    version, consul members, consul version, packer version, packer validate, rclone version, rclone ls,
    rclone lsd, rclone listremotes, restic snapshots, restic version, supabase status | run | --config! -c!
    --password-command$ -o!runs --option!runs --password-file< --rclone-cmd!
doctl compute, doctl account, doctl kubernetes, doctl apps | menu
doctl account get, doctl apps list | run
doctl compute *, doctl kubernetes * | menu
doctl compute * list, doctl compute * get, doctl kubernetes * list, doctl kubernetes * get | run
"""
